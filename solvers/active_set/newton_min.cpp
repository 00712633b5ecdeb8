#include <perp/solvers/active_set/newton_min.hpp>

#include <perp/problems/standard/residuals.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <perp/problems/matrix/infinity.hpp>

namespace perp {

namespace {

constexpr int kNewtonMinRefinements = 3;
constexpr double kNewtonMinSymmetric = 1e-14;
constexpr double kSlack = 0.1;            // share of the tolerance; less is no violation
constexpr double kDrift = 0.01;           // share of the tolerance: error from updates that is kept
constexpr double kRelativeDrift = 1e-11;  // the same as a share of the terms of an equation

}  // namespace

void ActiveSets::resize(int n) {
  place_.assign(n, Place::kFree);
  free_.assign(n, 1);
}

int ActiveSets::count_free() const {
  return static_cast<int>(std::count(free_.begin(), free_.end(), 1));
}

const SolverTraits& NewtonMin::traits() const {
  static const SolverTraits traits{
      "newton-min",
      "Newton's method on min(z, Mz + q): active sets with block and single exchanges",
      "JudicePires1994",
      {"lcp", "mlcp"}};
  return traits;
}

void NewtonMin::do_prepare(const Problem& problem) {
  problem_.build(problem);
  const auto* lcp = std::get_if<Lcp>(&problem.data);
  const Matrix& m = lcp ? lcp->M : std::get<Mlcp>(problem.data).M;
  const double scale = std::max(problem_.max_abs(), 1e-300);
  block_.attach(problem_, problem_.is_symmetric(m, kNewtonMinSymmetric * scale));
  norm_ = std::max(1.0, problem_.row_sum_norm());
  const int n = problem_.size();
  sets_.resize(n);
  violations_.reserve(n);
  for (Vector* v : {&z_, &w_, &right_, &candidate_, &best_}) v->setZero(n);
}

void NewtonMin::do_solve(const Start& start, Observer* observer, Result& result) {
  const int limit =
      limits.max_iterations > 0 ? limits.max_iterations : std::max(200, 4 * problem_.size());
  begin(start);
  IterationRecord record;
  std::optional<Status> end;
  while (!end) {
    if (result.iterations == limit) {
      end = Status::kIterationLimit;
      break;
    }
    record.iteration = ++result.iterations;
    if (!newton_point()) {
      end = Status::kStalled;
      result.message = fmt::format(
          "the free block of {} unknowns is singular: there is no Newton point of these sets",
          sets_.count_free());
      break;
    }
    find_violations();
    const Exchange how = next_exchange();
    record.step_type = how == Exchange::kBlock ? "newton" : "exchange";
    end = assess(observer, record);
    if (!end) exchange(how);
  }
  result.status = *end;
  finish(result);
}

// The status if the solve ends at this Newton point, else nothing.
std::optional<Status> NewtonMin::assess(Observer* observer, IterationRecord& record) {
  record.residual = natural_;
  record.active_set_size = sets_.count_free();
  record.linear_solves = block_.linear_solves;
  record.factorisations = block_.factorisations;
  if (observer && !observer->on_iteration(record)) return Status::kInterrupted;
  if (accept()) return Status::kSolved;
  if (deadline().passed()) return Status::kTimeLimit;
  if (violations_.empty()) return Status::kStalled;
  return {};
}

void NewtonMin::finish(Result& result) {
  result.z = best_;
  if (result.status == Status::kSolved && violations_.empty()) {
    for (int i = 0; i < problem_.size(); ++i) {
      const Place place = sets_.place(i);
      result.basis.push_back(place == Place::kFree    ? PairStatus::kBasic
                             : place == Place::kLower ? PairStatus::kAtLower
                                                      : PairStatus::kAtUpper);
    }
  }
  // Before the end, the residual of a projection is not computed if the point itself is far off.
  if (result.status == Status::kIterationLimit || result.status == Status::kStalled) {
    if (problem_.natural_residual(best_) <= limits.tolerance) result.status = Status::kSolved;
  }
  if (result.status == Status::kSolved) result.message.clear();
  if (result.status == Status::kStalled && result.message.empty()) {
    result.message = fmt::format("complementary sets were found, but the residual stays at {:.1e}",
                                 best_natural_);
  }
  result.statistics.emplace_back("factorisations", block_.factorisations);
  result.statistics.emplace_back("updates", block_.updates);
  result.statistics.emplace_back("linear_solves", block_.linear_solves);
  result.statistics.emplace_back("single_exchanges", single_exchanges_);
}

void NewtonMin::begin(const Start& start) {
  block_.factorisations = block_.updates = block_.linear_solves = 0;
  block_.forget();
  single_exchanges_ = 0;
  best_natural_ = kInfinity;
  best_.setZero();
  if (start.z) best_ = *start.z;
  problem_.clamp(best_);
  fewest_ = problem_.size() + 1UL;
  tries_ = settings.block_tries;
  if (start.basis) return place_all(*start.basis);
  problem_.evaluate(best_, w_);
  place_all(best_);
}

// Places from a complementary basis; an unknown at an infinite bound becomes free.
void NewtonMin::place_all(const std::vector<PairStatus>& basis) {
  for (int i = 0; i < problem_.size(); ++i) {
    const bool low = basis[i] == PairStatus::kAtLower && std::isfinite(problem_.lower[i]);
    const bool high = basis[i] == PairStatus::kAtUpper && std::isfinite(problem_.upper[i]);
    sets_.move(i, low ? Place::kLower : high ? Place::kUpper : Place::kFree);
  }
}

// Places from a point: an unknown is at a bound if z is there and w does not push it off.
void NewtonMin::place_all(const Vector& z) {
  for (int i = 0; i < problem_.size(); ++i) {
    const bool low = z[i] <= problem_.lower[i], high = z[i] >= problem_.upper[i];
    sets_.move(i, low && (w_[i] >= 0 || high) ? Place::kLower
                  : high && w_[i] <= 0        ? Place::kUpper
                                              : Place::kFree);
  }
}

// Sets z_N to the bounds and z_F to the solution of the free equations; w = Mz + q.
bool NewtonMin::newton_point() {
  if (!block_.set(sets_.free())) return false;
  solve_free();
  if (!drifted()) return true;
  block_.forget();
  if (!block_.set(sets_.free())) return false;
  solve_free();
  return true;
}

void NewtonMin::solve_free() {
  const int n = problem_.size();
  bool off_zero = false;
  for (int i = 0; i < n; ++i) {
    const Place place = sets_.place(i);
    z_[i] = place == Place::kFree    ? 0.0
            : place == Place::kLower ? problem_.lower[i]
                                     : problem_.upper[i];
    off_zero = off_zero || z_[i] != 0.0;
  }
  if (off_zero) {
    problem_.evaluate(z_, w_);
  } else {
    w_ = problem_.q;
  }
  for (int i = 0; i < n; ++i) right_[i] = sets_.is_free(i) ? -w_[i] : 0.0;
  block_.solve(right_);
  z_ += right_;
  problem_.evaluate(z_, w_);
}

// Whether updates have lost too many digits, so that the free equations do not hold.
bool NewtonMin::drifted() const {
  if (!block_.is_bordered()) return false;
  double defect = 0.0;
  for (int i = 0; i < problem_.size(); ++i) {
    if (sets_.is_free(i)) defect = std::max(defect, std::abs(w_[i]));
  }
  return !(defect <= kDrift * limits.tolerance) &&
         !(defect <= kRelativeDrift * norm_ * z_.lpNorm<Eigen::Infinity>());
}

// The place where unknown i belongs, by the signs at the Newton point.
NewtonMin::Place NewtonMin::wanted_place(int i) const {
  const double slack_z = kSlack / norm_ * limits.tolerance, slack_w = kSlack * limits.tolerance;
  const Place place = sets_.place(i);
  if (place == Place::kFree) {
    if (z_[i] < problem_.lower[i] - slack_z) return Place::kLower;
    if (z_[i] > problem_.upper[i] + slack_z) return Place::kUpper;
    return Place::kFree;
  }
  if (problem_.is_fixed(i)) return Place::kLower;
  if (place == Place::kLower && w_[i] < -slack_w) return Place::kFree;
  if (place == Place::kUpper && w_[i] > slack_w) return Place::kFree;
  return place;
}

void NewtonMin::find_violations() {
  violations_.clear();
  natural_ = 0.0;
  for (int i = 0; i < problem_.size(); ++i) {
    if (wanted_place(i) != sets_.place(i)) violations_.push_back(i);
    const double r = mid(z_[i] - problem_.lower[i], z_[i] - problem_.upper[i], w_[i]);
    natural_ = std::isfinite(w_[i]) ? std::max(natural_, std::abs(r)) : kInfinity;
  }
}

NewtonMin::Exchange NewtonMin::next_exchange() {
  if (violations_.size() < fewest_) {
    fewest_ = violations_.size();
    tries_ = settings.block_tries;
  }
  return tries_ > 0 ? Exchange::kBlock : Exchange::kSingle;
}

void NewtonMin::exchange(Exchange how) {
  if (how == Exchange::kSingle) {
    sets_.move(violations_.back(), wanted_place(violations_.back()));
    ++single_exchanges_;
    return;
  }
  for (int i : violations_) sets_.move(i, wanted_place(i));
  --tries_;
}

// Keeps the projection of z if it is the best so far. @return true if it solves the problem.
bool NewtonMin::accept() {
  const bool final = violations_.empty() || natural_ <= limits.tolerance;
  for (int k = 0; k <= (final ? kNewtonMinRefinements : 0); ++k) {
    if (k > 0) refine();
    candidate_ = z_;
    problem_.clamp(candidate_);
    const double natural = final ? problem_.natural_residual(candidate_) : natural_;
    if (!(natural < best_natural_)) break;
    best_natural_ = natural;
    best_ = candidate_;
    if (natural <= limits.tolerance) return problem_.natural_residual(best_) <= limits.tolerance;
  }
  return false;
}

// One step of iterative refinement, residual in extended precision [Higham2002, Ch. 12].
void NewtonMin::refine() {
  for (int i = 0; i < problem_.size(); ++i) {
    const long double f = sets_.is_free(i) ? problem_.extended_row(i, z_.data()) : 0.0L;
    right_[i] = -static_cast<double>(f);
  }
  block_.solve(right_);
  z_ += right_;
}

}  // namespace perp
