#include <perp/solvers/josephy_newton/linearisation_sets.hpp>

#include <algorithm>

namespace perp {

namespace {

constexpr double kInexact = 1e-6;  // share of the residual; smaller violations are ignored

}  // namespace

void LinearisationSets::attach(const BoxProblem& problem, NewtonSystem& system) {
  problem_ = &problem;
  system_ = &system;
  for (Vector* v : {&at_bound_, &basic_, &right_side_, &direction_, &map_direction_, &point_})
    v->setZero(problem.size());
  sets_.assign(static_cast<std::size_t>(problem.size()), PairStatus::kAtLower);
}

bool LinearisationSets::solve(const Vector& z, const Vector& f, double natural, int rounds) {
  classify(z, f);
  point_ = z;
  int least = problem_->size() + 1;
  for (int round = 0; round < rounds; ++round) {
    if (!system_->factor(at_bound_, basic_, 0.0)) {
      ++singular_systems;
      return false;
    }
    for (int i = 0; i < problem_->size(); ++i) {
      right_side_[i] = sets_[i] == PairStatus::kBasic     ? -f[i]
                       : sets_[i] == PairStatus::kAtLower ? problem_->lower[i] - z[i]
                                                          : problem_->upper[i] - z[i];
    }
    system_->solve(right_side_, direction_);
    problem_->matrix().multiply(direction_, map_direction_);
    const int violations = exchange(z, f, kInexact * natural);
    if (round == 0 || violations == 0)
      point_ = (z + direction_).cwiseMax(problem_->lower).cwiseMin(problem_->upper);
    if (violations == 0) return point_.allFinite();
    if (violations >= least) return false;
    least = violations;
  }
  return false;
}

// The sets that mid(z - l, z - u, F) shows.
void LinearisationSets::classify(const Vector& z, const Vector& f) {
  for (int i = 0; i < problem_->size(); ++i) {
    const double low = problem_->lower[i], high = problem_->upper[i], x = z[i] - f[i];
    put(i, low == high || x <= low ? PairStatus::kAtLower
           : x >= high             ? PairStatus::kAtUpper
                                   : PairStatus::kBasic);
  }
}

void LinearisationSets::put(int i, PairStatus set) {
  sets_[i] = set;
  basic_[i] = set == PairStatus::kBasic ? 1.0 : 0.0;
  at_bound_[i] = 1.0 - basic_[i];
}

// @return the number of unknowns that changed sets
int LinearisationSets::exchange(const Vector& z, const Vector& f, double slack) {
  // The residual has the size of F. What an unknown violates is multiplied by J in F.
  const double unknown_slack = slack / std::max(1.0, problem_->matrix().max_abs());
  int violations = 0;
  for (int i = 0; i < problem_->size(); ++i) {
    const double low = problem_->lower[i], high = problem_->upper[i];
    const double x = z[i] + direction_[i], w = f[i] + map_direction_[i];
    PairStatus wanted = sets_[i];
    if (low == high) continue;
    if (sets_[i] == PairStatus::kBasic) {
      if (x < low - unknown_slack) wanted = PairStatus::kAtLower;
      if (x > high + unknown_slack) wanted = PairStatus::kAtUpper;
    } else if (sets_[i] == PairStatus::kAtLower ? w < -slack : w > slack) {
      wanted = PairStatus::kBasic;
    }
    if (wanted == sets_[i]) continue;
    ++violations;
    put(i, wanted);
  }
  return violations;
}

}  // namespace perp
