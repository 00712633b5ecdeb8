#include <perp/solvers/friction/path_system.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

namespace {

// What Gmres leaves of the residual. A less accurate tangent makes the steps of the path shorter.
constexpr double kAcross = 1e-2, kAlong = 1e-3, kExactly = 1e-8;
// Steps of Gmres: with old factors at most; so many that the next system gets new factors; with
// new factors at most. The second one is measured: on packings of 300 to 3000 contacts, 5 to 10
// take about the same time, and 15 takes a third more.
constexpr int kOldSteps = 15, kManySteps = 8, kNewSteps = 30;

}  // namespace

void PathSystem::attach(const ContactProblem& problem, const SmoothedContacts& smoothed,
                        std::string_view algebra) {
  problem_ = &problem;
  smoothed_ = &smoothed;
  factors_.attach(problem, algebra);
  usable_ = false;
  const int n = problem.size();
  gmres_.reserve(n, n + 1, std::max(kOldSteps, kNewSteps));
  for (Vector* v : {&side_, &along_u_, &u_, &along_.r, &along_.z, &rest_.r, &rest_.z})
    v->setZero(n);
  weights_.setZero(problem.contacts());
  solution_.setZero(n + 1);
}

void PathSystem::begin() {
  usable_ = false;
  factors_.factorisations = factors_.linear_solves = factors_.pivoted = 0;
}

double PathSystem::product(const PathDirection& a, const PathDirection& b) const {
  double sum = a.log_sigma * b.log_sigma;
  for (int c = 0; c < problem_->contacts(); ++c)
    sum += weights_[c] * a.z.segment<3>(3 * c).dot(b.z.segment<3>(3 * c));
  return sum;
}

double PathSystem::norm(const PathDirection& a) const { return std::sqrt(product(a, a)); }

// Fills in the change of z that belongs to the change of r, and leaves that of u in u_.
void PathSystem::find_change(PathDirection& direction) {
  problem_->multiply(direction.r, u_);
  u_ += smoothed_->shift() * direction.r;
  smoothed_->change_of_z(direction.r, u_, direction.z);
}

bool PathSystem::newton_step(Vector& d) {
  usable_ = false;
  return factors_.solve(smoothed_->rows(), smoothed_->shift(), d) && d.allFinite();
}

bool PathSystem::factor() {
  usable_ = factors_.solve(smoothed_->rows_of_sigma(), smoothed_->shift(), along_.r) &&
            along_.r.allFinite();
  along_.log_sigma = 1.0;
  return usable_;
}

// w := J r + b log_sigma in the units of the contacts, with the change of u in u_.
void PathSystem::multiply(const Vector& r, double log_sigma, Vector& w) const {
  for (int c = 0; c < problem_->contacts(); ++c) {
    const ContactRows &row = smoothed_->rows()[c], &by_sigma = smoothed_->rows_of_sigma()[c];
    const double *dr = &r[3 * c], *du = &u_[3 * c];
    for (int i = 0; i < 3; ++i) {
      double value = by_sigma.phi[i] * log_sigma;
      for (int j = 0; j < 3; ++j) value += row.A[3 * j + i] * dr[j] + row.B[3 * j + i] * du[j];
      w[3 * c + i] = value / smoothed_->unit_of_force(c);
    }
  }
}

// x := K^-1 (v, 0) with the J and b of the factors, by block elimination, and w := J dr + b dln
// sigma with those of this point.
void PathSystem::apply(const Vector& v, Vector& x, Vector& w) {
  const int n = problem_->size();
  for (int c = 0; c < problem_->contacts(); ++c)
    rest_.r.segment<3>(3 * c) = smoothed_->unit_of_force(c) * v.segment<3>(3 * c);
  factors_.divide(rest_.r);
  find_change(rest_);
  const double share = -product(*tangent_, rest_) / along_product_;
  x.head(n) = rest_.r + share * along_.r;
  x[n] = share;
  u_ += share * along_u_;
  multiply(x, share, w);
}

bool PathSystem::solve_with_factors(double tolerance, int most) {
  find_change(along_);
  along_u_.swap(u_);
  along_product_ = product(*tangent_, along_);
  const bool solved = gmres_.solve(*this, side_, tolerance, most, solution_);
  usable_ = gmres_.steps() < kManySteps;
  return solved;
}

bool PathSystem::solve(double tolerance) {
  return (usable_ && solve_with_factors(tolerance, kOldSteps)) ||
         (factor() && solve_with_factors(tolerance, kNewSteps));
}

bool PathSystem::solve_across(const PathDirection& t, PathDirection& step) {
  tangent_ = &t;
  for (int c = 0; c < problem_->contacts(); ++c) {
    for (int i = 0; i < 3; ++i)
      side_[3 * c + i] = -smoothed_->rows()[c].phi[i] / smoothed_->unit_of_force(c);
  }
  if (!solve(kAcross)) return false;
  step.r = solution_.head(problem_->size());
  step.log_sigma = solution_[problem_->size()];
  find_change(step);
  return true;
}

bool PathSystem::solve_along(const PathDirection& t, PathDirection& next) {
  return correct_along(t, kAlong, next);
}

bool PathSystem::solve_along_exactly(const PathDirection& t, PathDirection& next) {
  usable_ = false;
  return correct_along(t, kExactly, next);
}

bool PathSystem::correct_along(const PathDirection& t, double tolerance, PathDirection& next) {
  tangent_ = &t;
  next.r = t.r;
  next.log_sigma = t.log_sigma;
  find_change(next);
  multiply(next.r, next.log_sigma, side_);
  side_ = -side_;
  if (!solve(tolerance)) return false;
  next.r += solution_.head(problem_->size());
  next.log_sigma += solution_[problem_->size()];
  find_change(next);
  return true;
}

}  // namespace perp
