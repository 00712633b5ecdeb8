#include <perp/solvers/semismooth_newton/active_set_finish.hpp>

#include <perp/problems/matrix/infinity.hpp>

namespace perp {

namespace {

constexpr double kTryAgain = 0.1;  // fall of ||Phi|| after which a set is tried again
constexpr int kFinishRounds = 4, kFinishRefinements = 6;

}  // namespace

void ActiveSetFinish::attach(BoxProblem& problem, NewtonSystem& system) {
  problem_ = &problem;
  system_ = &system;
  for (Vector* v : {&at_bound_, &basic_, &tried_, &candidate_, &candidate_f_, &right_side_,
                    &direction_, &point_}) {
    v->setZero(problem.size());
  }
}

void ActiveSetFinish::begin(const Options& options) {
  options_ = options;
  tried_.setConstant(-1.0);
  tried_size_ = 0.0;
  natural_ = kInfinity;
  count = 0;
}

bool ActiveSetFinish::solves(const Vector& z, const Vector& f, double size, double natural,
                             BoxRecord& record) {
  const double target = (problem_->is_linear() ? kClaim : kClaimNonlinear) * options_.tolerance;
  natural_ = kInfinity;
  const bool near = natural <= options_.tolerance;
  bool solved = false;
  if (near) {
    problem_->map_extended(z, candidate_f_);
    if (problem_->signs_hold(z, candidate_f_, options_.tolerance)) {
      record.set_best(z, problem_->natural_residual(z, candidate_f_));
      solved = record.best_natural <= target;
    }
  }
  if (!options_.enabled || !(near || size <= options_.below)) return solved;
  classify(z, f);
  const bool same = problem_->is_linear() || size > kTryAgain * tried_size_;
  if (!near && same && basic_ == tried_) return false;
  tried_ = basic_;
  tried_size_ = size;
  return run(solved ? 1 : kFinishRounds, target, record) || solved;
}

// The active set that mid(z - l, z - u, F) shows.
void ActiveSetFinish::classify(const Vector& z, const Vector& f) {
  for (int i = 0; i < z.size(); ++i) {
    const double low = problem_->lower[i], high = problem_->upper[i], x = z[i] - f[i];
    basic_[i] = low < high && x > low && x < high ? 1.0 : 0.0;
    at_bound_[i] = 1.0 - basic_[i];
    candidate_[i] = basic_[i] != 0 ? z[i] : x <= low ? low : high;
  }
}

bool ActiveSetFinish::run(int rounds, double target, BoxRecord& record) {
  ++count;
  double best = kInfinity;
  for (int round = 0; round < rounds; ++round) {
    if (!problem_->linearise(candidate_)) break;
    if (!system_->factor(at_bound_, basic_, options_.proximal)) break;
    const double natural = correct();
    if (!(natural < 0.5 * best)) break;
    best = natural;
    point_ = candidate_;
    if (!problem_->is_linear() && best <= target) break;
    classify(point_, candidate_f_);
  }
  natural_ = best;
  if (best <= options_.tolerance) {
    problem_->map_extended(point_, candidate_f_);
    if (!problem_->signs_hold(point_, candidate_f_, options_.tolerance)) {
      ++record.false_answers;
      return false;
    }
  }
  record.note_point(point_, best);
  return best <= target;
}

// Corrects the candidate. @return its natural residual
double ActiveSetFinish::correct() {
  double last = kInfinity;
  for (int k = 0;; ++k) {
    problem_->map_extended(candidate_, candidate_f_);
    right_side_ = -basic_.cwiseProduct(candidate_f_);
    const double size = right_side_.lpNorm<Eigen::Infinity>();
    if (size == 0.0 || !(size < 0.5 * last) || k == kFinishRefinements)
      return problem_->natural_residual(candidate_, candidate_f_);
    last = size;
    system_->solve(right_side_, direction_);
    candidate_ += direction_;
  }
}

void ActiveSetFinish::note_move() {
  problem_->map(point_, candidate_f_);
  classify(point_, candidate_f_);
  tried_ = basic_;
}

}  // namespace perp
