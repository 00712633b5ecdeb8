#include <perp/solvers/box_interior_point/box_interior_point.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

namespace {

constexpr int kInteriorAlwaysDense = 100;  // unknowns; smaller problems are dense
constexpr double kFewEntries = 0.25;       // share of entries; with more, systems are dense
constexpr int kInteriorMostSteps = 200;    // by default
constexpr double kLargestDistance = 1e4;   // of the first point, if F determines it
constexpr double kRatioGrowth = 10.0;      // allowed growth of the defect over mu
constexpr double kLeastProduct = 1e-5;     // of a pair, over the mean
constexpr double kLeastFall = 0.01;        // of the defect, over its fall with a linear F
constexpr double kNearlyAll = 1.0 - 1e-8;  // largest share of the longest step
constexpr double kShortestInterior = 1e-8;
constexpr double kInteriorProgress = 0.9;  // mu or defect over the least before: progress

bool prefers_sparse_system(const Matrix& m) {
  const double n = m.rows();
  return n > kInteriorAlwaysDense && static_cast<double>(m.nonzeros()) < kFewEntries * n * n;
}

}  // namespace

const SolverTraits& BoxInteriorPoint::traits() const {
  static const SolverTraits traits{
      "box-interior-point",
      "infeasible primal-dual interior-point method for monotone problems over bounds",
      "WrightRalph1996",
      {"mcp", "mlcp", "lcp"}};
  return traits;
}

void BoxInteriorPoint::do_prepare(const Problem& problem) {
  BoxProblem::Options box;
  box.scaling = BoxProblem::Scaling::kWhereBad;
  box.storage = storage_named(settings.linear_algebra);
  box.prefers_sparse = prefers_sparse_system;
  problem_.build(problem, box, deadline());
  system_.attach(problem_.matrix());
  pairs_.attach(problem_);
  finish_.attach(problem_, system_);
  for (Vector* v : {&start_, &diagonal_, &row_weight_, &right_side_, &direction_})
    v->setZero(problem_.size());
  record_.begin(start_);
}

void BoxInteriorPoint::do_update(const Problem& problem) {
  if (!problem_.update(problem, deadline())) return do_prepare(problem);
  pairs_.attach(problem_);
}

void BoxInteriorPoint::do_solve(const Start& start, Observer* observer, Result& result) {
  iterations_ = 0;
  step_ = 0.0;
  system_.factorisations = system_.linear_solves = 0;
  finish_.begin({settings.finish, settings.finish_below, settings.proximal, limits.tolerance});
  problem_.begin(start.z, start_);
  start_ = start_.cwiseMax(problem_.lower).cwiseMin(problem_.upper);
  record_.begin(start_);
  if (start.z && start_solves()) {
    result.status = Status::kSolved;
  } else {
    result.status = begin() ? run(observer) : Status::kNumericalError;
  }
  problem_.to_original(record_.best_z, result.z);
  result.iterations = iterations_;
  result.message = record_.message(result.status, {});
  const auto add = [&](std::string_view name, int value) {
    result.statistics.emplace_back(name, value);
  };
  add("factorisations", system_.factorisations);
  add("linear_solves", system_.linear_solves);
  add("finishes", finish_.count);
  add("function_evaluations", problem_.evaluations());
  add("sparse", problem_.matrix().has_sparse_systems());
}

// Whether the start is an answer, before it is moved away from its bounds.
bool BoxInteriorPoint::start_solves() {
  problem_.map(start_, right_side_);
  if (!right_side_.allFinite()) return false;
  const double natural = problem_.natural_residual(start_, right_side_);
  record_.note_point(start_, natural);
  return finish_.solves(start_, right_side_, natural, natural, record_);
}

// The distance of the first point from its bounds, and its multipliers, have the size of F. A
// multiplier that begins much smaller cannot follow F. With a much smaller distance steps are cut.
bool BoxInteriorPoint::begin() {
  double distance = settings.distance > 0 ? settings.distance : 1.0;
  bool exists = pairs_.begin(start_, distance, distance);
  if (exists && settings.distance <= 0) {
    distance = std::clamp(pairs_.f().lpNorm<Eigen::Infinity>(), 1.0, kLargestDistance);
    exists = pairs_.begin(start_, distance, distance) || pairs_.begin(start_, 1.0, 1.0);
  }
  if (!exists) {
    record_.note_undefined(pairs_.f(), -1);
    return false;
  }
  const double mu = pairs_.mean_product();
  near_ = mu > 0 ? std::min(mu, 1.0) : 1.0;
  largest_ratio_ =
      mu > 0 ? kRatioGrowth * (pairs_.defect() / mu + std::sqrt(pairs_.pairs()) / std::sqrt(mu))
             : 0.0;
  return true;
}

Status BoxInteriorPoint::run(Observer* observer) {
  const int most = limits.max_iterations > 0 ? limits.max_iterations : kInteriorMostSteps;
  double least_mu = pairs_.mean_product(), least_defect = pairs_.defect();
  for (int idle = 0;; ++iterations_) {
    const bool solved = is_solved();
    if (observer) {
      IterationRecord seen;
      seen.iteration = iterations_;
      seen.step_type = iterations_ > 0 ? "newton" : "start";
      seen.residual = problem_.natural_residual(pairs_.z(), pairs_.f());
      seen.merit = pairs_.mean_product();
      if (iterations_ > 0) seen.step = step_;
      seen.linear_solves = system_.linear_solves;
      seen.factorisations = system_.factorisations;
      if (!observer->on_iteration(seen)) return Status::kInterrupted;
    }
    if (solved) return Status::kSolved;
    if (iterations_ >= most) return Status::kIterationLimit;
    if (deadline().passed()) return Status::kTimeLimit;
    if (idle >= settings.patience) return Status::kStalled;
    if (!find_direction()) return Status::kNumericalError;
    if (!search()) return Status::kStalled;
    ++idle;
    if (pairs_.mean_product() < kInteriorProgress * least_mu ||
        pairs_.defect() < kInteriorProgress * least_defect)
      idle = 0;
    least_mu = std::min(least_mu, pairs_.mean_product());
    least_defect = std::min(least_defect, pairs_.defect());
  }
}

bool BoxInteriorPoint::is_solved() {
  const double natural = problem_.natural_residual(pairs_.z(), pairs_.f());
  record_.note_point(pairs_.z(), natural);
  return finish_.solves(pairs_.z(), pairs_.f(), natural, natural, record_);
}

// The predictor aims at products of 0. The share of mu that is left after it determines how much
// the step is centred [Mehrotra1992].
bool BoxInteriorPoint::find_direction() {
  if (!problem_.linearise(pairs_.z())) return false;
  pairs_.diagonal(diagonal_, row_weight_);
  if (!system_.factor(diagonal_, row_weight_, settings.proximal)) return false;
  pairs_.right_side(0.0, false, right_side_);
  right_side_.array() *= row_weight_.array();
  system_.solve(right_side_, direction_);
  pairs_.set_direction(direction_, 0.0, false);
  const double mu = pairs_.mean_product();
  if (mu <= 0.0) return direction_.allFinite();
  const double left = pairs_.mean_product_after(pairs_.longest_step()) / mu;
  const double target = mu * left * left * left;
  pairs_.right_side(target, true, right_side_);
  right_side_.array() *= row_weight_.array();
  system_.solve(right_side_, direction_);
  pairs_.set_direction(direction_, target, true);
  return direction_.allFinite();
}

bool BoxInteriorPoint::search() {
  const double longest = pairs_.longest_step(), before = pairs_.defect();
  // Near a solution nearly the longest step is taken, for superlinear convergence.
  const double share =
      std::max(settings.to_boundary, std::min(1.0 - pairs_.mean_product() / near_, kNearlyAll));
  for (step_ = longest < 1.0 ? share * longest : 1.0; step_ > kShortestInterior; step_ *= 0.5) {
    const InteriorPairs::Trial trial = pairs_.try_step(step_);
    if (!std::isfinite(trial.defect)) continue;
    const bool central = trial.least_product >= kLeastProduct * trial.mean_product;
    const bool falls = trial.defect <= (1.0 - kLeastFall * step_) * before ||
                       trial.defect <= largest_ratio_ * trial.mean_product;
    if (!falls || !(central || pairs_.pairs() == 0)) continue;
    pairs_.accept();
    return true;
  }
  return false;
}

}  // namespace perp
