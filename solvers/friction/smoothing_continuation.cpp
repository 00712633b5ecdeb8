#include <perp/solvers/friction/smoothing_continuation.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>

namespace perp {

namespace {

constexpr int kPathStepLimit = 20'000;
constexpr int kFirstNewtonSteps = 50;  // for each share of de Saxce's correction
// Steps of de Saxce's correction at the first sigma, halved if Newton steps fail.
constexpr double kFirstShare = 0.25, kLeastShare = 1e-3;
constexpr double kFirstAccuracy = 1e-8;   // ||Phi|| at the first point
constexpr double kShortestSearch = 1e-3;  // of the Newton steps to the first point
constexpr double kSufficientDecrease = 1e-4;
constexpr double kRounding = 1e-12;        // max |Phi_i| that rounding leaves
constexpr double kLeastContraction = 0.7;  // of max |Phi_i| by a corrector step
// A corrector step may be as long as this share of the step it corrects, plus an allowance for
// what the accuracy of the point before left over: a multiple of max |Phi_i| / sigma there.
constexpr double kLongestCorrection = 0.3, kCorrectionAllowance = 10.0;
// A point straight from the predictor needs no step if it is closer by this factor.
constexpr double kPredictorShare = 0.01;
// Least cosine of the angle between the tangents of two points that follow each other.
constexpr double kLeastCosine = 0.8;
// A step shorter than this may end at any angle below 90 degrees: there the path itself turns so.
constexpr double kSharpTurn = 1e-6;
// What the length of the next step aims at: this share of it for the corrector, and this angle
// between the tangents at its ends.
constexpr double kAimedCorrection = 0.03, kAimedAngle = 0.4;
constexpr double kShorter = 0.4, kLonger = 2.0;  // factors on the length from one step to the next
// Failed steps from a point after which its tangent is found anew, more accurately.
constexpr int kFailedSteps = 2;
constexpr double kDecade = 2.302585092994046;  // of sigma, in ln sigma

}  // namespace

const SolverTraits& SmoothingContinuation::traits() const {
  static const SolverTraits traits{"smoothing-continuation",
                                   "a path of smoothed problems, followed by its arc length",
                                   "AllgowerGeorg2003",
                                   {"friction_contact"},
                                   0,
                                   false};
  return traits;
}

void SmoothingContinuation::do_prepare(const Problem& problem) {
  problem_.build(std::get<FrictionContact>(problem.data), contact_scaling(settings.scaling));
  smoothed_.attach(problem_, settings.compliance, settings.slip_smoothing);
  path_.attach(problem_, smoothed_, settings.linear_algebra);
  finish_.settings.linear_algebra = settings.linear_algebra;
  finish_.settings.least_squares = "never";
  finish_.attach(problem_);
  for (Vector* v : {&point_.r, &trial_.r, &u_, &best_}) v->setZero(problem_.size());
  weights_.setZero(problem_.contacts());
  for (PathDirection* d : {&tangent_, &before_, &next_, &newton_}) {
    d->r.setZero(problem_.size());
    d->z.setZero(problem_.size());
  }
}

// Newton steps with a line search at the sigma and with the correction's share as given.
bool SmoothingContinuation::newton_at(double theta) {
  const double sigma = std::exp(point_.log_sigma);
  smoothed_.evaluate(sigma, theta, point_.r);
  for (int k = 0; k < kFirstNewtonSteps && !out_of_time(); ++k) {
    const double norm = smoothed_.norm();
    if (norm <= kFirstAccuracy) return true;
    if (!path_.newton_step(newton_.r)) return false;
    for (double t = 1.0;; t *= 0.5) {
      trial_.r = point_.r + t * newton_.r;
      smoothed_.evaluate(sigma, theta, trial_.r);
      if (smoothed_.norm() <= (1.0 - kSufficientDecrease * t) * norm) break;
      if (t < kShortestSearch) return false;
    }
    point_.r.swap(trial_.r);
  }
  return false;
}

bool SmoothingContinuation::find_first_point() {
  point_.log_sigma = std::log(settings.first_sigma);
  smoothed_.set_centre(settings.first_sigma, point_.r);
  if (!newton_at(0.0)) return false;
  double theta = 0.0, step = kFirstShare;
  while (theta < 1.0) {
    before_.r = point_.r;
    if (newton_at(std::min(1.0, theta + step))) {
      theta += step;
    } else {
      point_.r = before_.r;
      step *= 0.5;
      if (step < kLeastShare || out_of_time()) return false;
    }
  }
  tangent_.r.setZero();
  tangent_.z.setZero();
  tangent_.log_sigma = -1.0;
  step_.next = settings.first_step;
  step_.last = 0.0;
  smoothed_.evaluate(settings.first_sigma, 1.0, point_.r);
  return take_tangent();
}

// Finds the tangent at the point of the last evaluation, in the direction of the one before.
// @return false if the path turns too far from there: then it may have been lost
bool SmoothingContinuation::take_tangent() {
  path_.set_weights(smoothed_.weights());
  const bool first = tangent_.r.isZero(0);
  const double least_cosine =
      step_.next < kSharpTurn ? 0.0 : 1.0 - step_.care * step_.care * (1.0 - kLeastCosine);
  double length = 0.0, cosine = 0.0;
  if (path_.solve_along(tangent_, next_)) {
    length = path_.norm(next_);
    cosine = path_.product(next_, tangent_) / (length * path_.norm(tangent_));
  }
  if (!(first ? length > 0 : cosine >= least_cosine) || !std::isfinite(length)) {
    path_.set_weights(weights_);
    return false;
  }
  weights_ = smoothed_.weights();
  step_.angle = first ? 0.0 : std::acos(std::min(1.0, cosine));
  if (tangent_.log_sigma * next_.log_sigma < 0) ++counts_.turns;
  std::swap(tangent_, before_);
  set_tangent(length);
  return true;
}

// tangent_ := next_, which has this length.
void SmoothingContinuation::set_tangent(double length) {
  tangent_.r = next_.r / length;
  tangent_.z = next_.z / length;
  tangent_.log_sigma = next_.log_sigma / length;
}

// The tangent at point_ once more, with factors of that point.
bool SmoothingContinuation::refresh_tangent() {
  smoothed_.evaluate(std::exp(point_.log_sigma), 1.0, point_.r);
  if (!path_.solve_along_exactly(tangent_, next_)) return false;
  const double length = path_.norm(next_);
  set_tangent(length);
  return std::isfinite(length);
}

// trial_ := the parabola through the point with its tangent, and that of the point before.
void SmoothingContinuation::predict() {
  const double bend = step_.last > 0 ? 0.5 * step_.next * step_.next / step_.last : 0.0;
  trial_.r = point_.r + (step_.next + bend) * tangent_.r - bend * before_.r;
  trial_.log_sigma =
      point_.log_sigma + (step_.next + bend) * tangent_.log_sigma - bend * before_.log_sigma;
}

// Newton steps from trial_ back to the path, across the tangent.
bool SmoothingContinuation::correct() {
  double before = std::numeric_limits<double>::infinity();
  step_.corrected = 0.0;
  for (int k = 0;; ++k) {
    const double sigma = std::exp(trial_.log_sigma);
    smoothed_.evaluate(sigma, 1.0, trial_.r);
    const double size = smoothed_.largest();
    const double share = k == 0 ? kPredictorShare : 1.0;
    const double unit = std::min(1.0, sigma), goal = settings.accuracy * unit + kRounding;
    if (size <= share * goal) return true;
    if (!(size <= kLeastContraction * before) || k == settings.corrector_steps) return false;
    before = size;
    if (!path_.solve_across(tangent_, newton_)) return false;
    const double length = path_.norm(newton_);
    if (!(length <=
          step_.care * kLongestCorrection * step_.next + kCorrectionAllowance * goal / unit))
      return false;
    step_.corrected += length;
    trial_.r += newton_.r;
    trial_.log_sigma += newton_.log_sigma;
  }
}

// The length of the step after one that was taken. The error of the parabola grows with the third
// power of the length, so its share of the length with the second. The angle grows with the length.
void SmoothingContinuation::choose_length() {
  const double share = step_.corrected / step_.last;
  const double factor = std::min(std::sqrt(step_.care * kAimedCorrection / share),
                                 step_.care * kAimedAngle / step_.angle);
  step_.next = std::min(std::clamp(factor, kShorter, kLonger) * step_.last,
                        step_.care * settings.longest_step);
}

// To the next point of the path, with a step that may become shorter. @return false if it becomes
// too short, or at the time limit.
bool SmoothingContinuation::step_along_tangent() {
  int failed = 0;
  for (; step_.next >= settings.shortest_step && !out_of_time(); step_.next *= kShorter) {
    predict();
    if (correct() && take_tangent()) {
      step_.last = step_.next;
      point_.r.swap(trial_.r);
      point_.log_sigma = trial_.log_sigma;
      choose_length();
      return true;
    }
    // The tangent may be at fault: it was found only so accurately.
    if (++failed == kFailedSteps && !refresh_tangent()) return false;
  }
  return false;
}

// Computes the measure at r, and keeps r if it is the best point.
void SmoothingContinuation::look_at(const Vector& r) {
  problem_.velocity(r, u_);
  double measure = problem_.measure(r, u_);
  if (measure <= limits.tolerance) measure = problem_.measure(r);
  if (!(measure < best_measure_)) return;
  best_measure_ = measure;
  best_ = r;
}

// Semismooth Newton steps on the problem as posed, from the point, at every new decade of sigma.
void SmoothingContinuation::try_to_finish() {
  if (point_.log_sigma > next_finish_) return;
  next_finish_ = point_.log_sigma - kDecade;
  trial_.r = point_.r;
  finish_.run(0.0, point_.r, limits.tolerance, settings.finish_steps, nullptr, trial_.r);
  look_at(trial_.r);
}

// Follows the path from its first point. @return how that ended; stalled with the message why
Status SmoothingContinuation::follow(int limit, Observer* observer, Result& result) {
  if (!find_first_point()) {
    if (out_of_time()) return Status::kTimeLimit;
    result.message = "Newton steps find no first point of the path";
    return Status::kStalled;
  }
  const double first = point_.log_sigma, last = std::log(settings.least_sigma);
  next_finish_ = std::log(settings.finish_sigma);
  IterationRecord record;
  record.step_type = "path";
  while (point_.log_sigma >= last && point_.log_sigma <= first + kDecade) {
    record.step = step_.next;
    if (!step_along_tangent()) break;
    look_at(point_.r);
    if (best_measure_ > limits.tolerance) try_to_finish();
    record.iteration = ++result.iterations;
    record.residual = best_measure_;
    record.merit = std::exp(point_.log_sigma);
    record.linear_solves = path_.factors().linear_solves;
    record.factorisations = path_.factors().factorisations;
    if (observer && !observer->on_iteration(record)) return Status::kInterrupted;
    if (best_measure_ <= limits.tolerance) return Status::kSolved;
    if (result.iterations >= limit) return Status::kIterationLimit;
  }
  result.message = fmt::format("the path ends at sigma {:.1e}, the natural map stays at {:.1e}",
                               std::exp(point_.log_sigma), best_measure_);
  return out_of_time() ? Status::kTimeLimit : Status::kStalled;
}

void SmoothingContinuation::do_solve(const Start&, Observer* observer, Result& result) {
  const int limit = limits.max_iterations > 0 ? limits.max_iterations : kPathStepLimit;
  path_.begin();
  finish_.begin(deadline(), kPathStepLimit);
  counts_ = {};
  best_.setZero();
  best_measure_ = problem_.measure(best_);
  result.status = best_measure_ <= limits.tolerance ? Status::kSolved : Status::kStalled;
  step_.care = 1.0;
  while (result.status == Status::kStalled) {
    result.status = follow(limit, observer, result);
    // The path should not come back to its beginning: parts of it that are near were confused.
    const bool came_back = point_.log_sigma > std::log(settings.first_sigma);
    if (result.status != Status::kStalled || !came_back || counts_.returns == settings.returns)
      break;
    ++counts_.returns;
    step_.care *= 0.5;
  }
  if (result.status == Status::kSolved) result.message.clear();
  problem_.to_posed(best_, result.z);
  result.statistics.emplace_back("turns", counts_.turns);
  result.statistics.emplace_back("returns", counts_.returns);
  result.statistics.emplace_back("finish_steps", finish_.iterations);
  const ContactNewtonSystem &factors = path_.factors(), &finish = finish_.system();
  result.statistics.emplace_back("factorisations", factors.factorisations + finish.factorisations);
  result.statistics.emplace_back("linear_solves", factors.linear_solves + finish.linear_solves);
  result.statistics.emplace_back("pivoted_factorisations", factors.pivoted + finish.pivoted);
}

}  // namespace perp
