#include <perp/solvers/friction/contact_newton.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace perp {

namespace {

constexpr double kArmijo = 1e-4;
constexpr int kHalvings = 20;
constexpr double kGain = 0.9;            // of the lowest merit: progress
constexpr double kLeastDamping = 1e-12;  // of a least-squares step, over ||Phi||

}  // namespace

void ContactNewton::attach(const ContactProblem& problem) {
  const std::string& steps = settings.least_squares;
  if (steps != "fallback" && steps != "always" && steps != "never") {
    throw std::invalid_argument(
        fmt::format("setting \"least_squares\": \"{}\" is not fallback, always or never", steps));
  }
  problem_ = &problem;
  equations_.attach(problem, settings.map, settings.rho, settings.rho_factor);
  system_.attach(problem, settings.linear_algebra);
  for (Pair* pair : {&point_, &direction_, &trial_}) {
    pair->r.setZero(problem.size());
    pair->u.setZero(problem.size());
  }
  history_.assign(std::max(1, settings.memory), 0.0);
}

void ContactNewton::begin(const Deadline& deadline, int iteration_limit) {
  deadline_ = &deadline;
  iteration_limit_ = iteration_limit;
  iterations = least_squares_steps = 0;
  system_.factorisations = system_.linear_solves = 0;
}

Status ContactNewton::run(double alpha, const Vector& centre, double tolerance, int max_steps,
                          Observer* observer, Vector& r) {
  point_.r = r;
  evaluate(alpha, centre);
  best_measure_ = problem_->measure(point_.r, point_.u);
  double lowest = equations_.merit();
  std::fill(history_.begin(), history_.end(), equations_.merit());
  damping_ = 1e-2;
  IterationRecord record;
  Status status = Status::kStalled;
  for (int step = 0, since_gain = 0;; ++step) {
    if (best_measure_ <= tolerance &&
        (alpha > 0 || (best_measure_ = problem_->measure(r)) <= tolerance)) {
      status = Status::kSolved;
      break;
    }
    if (iterations >= iteration_limit_) {
      status = Status::kIterationLimit;
      break;
    }
    if (deadline_->passed()) {
      status = Status::kTimeLimit;
      break;
    }
    if (step >= max_steps || since_gain >= settings.patience) break;
    const bool never = settings.least_squares == "never";
    bool moved = settings.least_squares != "always" && newton_step(alpha, record);
    if (!moved && !never) moved = least_squares_step(alpha, record);
    if (!moved) break;
    evaluate(alpha, centre);
    history_[step % history_.size()] = equations_.merit();
    since_gain = equations_.merit() <= kGain * lowest ? 0 : since_gain + 1;
    lowest = std::min(lowest, equations_.merit());
    const double measure = problem_->measure(point_.r, point_.u);
    if (measure < best_measure_) {
      best_measure_ = measure;
      r = point_.r;
    }
    record.iteration = ++iterations;
    record.residual = measure;
    record.merit = equations_.merit();
    record.active_set_size = system_.kernel_size();
    record.linear_solves = system_.linear_solves;
    record.factorisations = system_.factorisations;
    if (observer && !observer->on_iteration(record)) {
      status = Status::kInterrupted;
      break;
    }
  }
  return status;
}

// u, Phi with its Jacobian, and the merit at r.
void ContactNewton::evaluate(double alpha, const Vector& centre) {
  problem_->velocity(point_.r, point_.u);
  if (alpha > 0) point_.u += alpha * (point_.r - centre);
  equations_.evaluate(point_.r, point_.u);
}

bool ContactNewton::newton_step(double alpha, IterationRecord& record) {
  record.step_type = "newton";
  const double eps =
      std::max(settings.proximal, settings.proximal_factor * std::min(1.0, equations_.largest()));
  if (!system_.factor(equations_.rows(), alpha + eps)) return false;
  system_.solve(equations_.rows(), direction_.r);
  return search(alpha, record);
}

bool ContactNewton::least_squares_step(double alpha, IterationRecord& record) {
  record.step_type = "least_squares";
  const double size = std::sqrt(2.0 * equations_.merit());
  if (!system_.factor_least_squares(equations_.rows(), alpha,
                                    std::max(damping_, kLeastDamping) * size))
    return false;
  system_.solve_least_squares(equations_.rows(), direction_.r);
  ++least_squares_steps;
  if (!search(alpha, record)) return false;
  damping_ *= record.step == 1.0 ? 0.1 : record.step < 0.2 ? 4.0 : 1.0;
  return true;
}

// Nonmonotone Armijo search along d [GrippoLamparielloLucidi1986].
bool ContactNewton::search(double alpha, IterationRecord& record) {
  if (!direction_.r.allFinite()) return false;
  problem_->multiply(direction_.r, direction_.u);
  if (alpha > 0) direction_.u += alpha * direction_.r;
  const double slope = equations_.slope(direction_.r, direction_.u);
  if (!(slope < 0)) return false;
  const double reference = *std::max_element(history_.begin(), history_.end());
  double t = 1.0;
  for (int k = 0; k < kHalvings; ++k, t *= 0.5) {
    trial_.r = point_.r + t * direction_.r;
    trial_.u = point_.u + t * direction_.u;
    if (!(equations_.merit(trial_.r, trial_.u) <= reference + kArmijo * t * slope)) continue;
    record.step = t;
    point_.r.swap(trial_.r);
    return true;
  }
  return false;
}

}  // namespace perp
