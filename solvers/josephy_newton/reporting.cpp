// What JosephyNewton tells: iterations, ends, counts.
#include <perp/solvers/josephy_newton/josephy_newton.hpp>

#include <fmt/format.h>
#include <cmath>

namespace perp {

namespace {

constexpr std::string_view kStepNames[] = {"start",         "newton",   "crash",
                                           "path",          "path_end", "proximal",
                                           "least_squares", "gradient", "watchdog"};
constexpr double kStationary = 1e-6;    // projected gradient / ||Phi||
constexpr double kSingularShare = 0.1;  // rows with |Phi_i| above this times the largest
constexpr int kNamedRows = 5;

}  // namespace

bool JosephyNewton::report_iteration(Observer* observer) {
  if (!observer) return true;
  IterationRecord record;
  record.iteration = iterations_;
  record.step_type = kStepNames[static_cast<int>(last_step_)];
  record.residual = natural_;
  record.merit = merit_;
  if (last_step_ != StepType::kStart) record.step = step_;
  record.active_set_size = 0;
  for (int i = 0; i < map_.size(); ++i) {
    const double x = z_[i] - f_[i];
    record.active_set_size += x > map_.lower[i] && x < map_.upper[i];
  }
  record.pivots = static_cast<int>(linearised_.pivots());
  record.linear_solves = system_.linear_solves + linearised_.linear_solves();
  record.factorisations = system_.factorisations + linearised_.factorisations();
  return observer->on_iteration(record);
}

Status JosephyNewton::end_of_attempt() const {
  if (out_of_time()) return Status::kTimeLimit;
  return lowest_gradient_ <= kStationary * std::sqrt(2.0 * lowest_of_all_) ? Status::kStationary
                                                                           : Status::kStalled;
}

bool JosephyNewton::out_of_time() const { return limits.time_limit > 0 && !(time_left() > 0); }

// 0: no limit.
double JosephyNewton::time_left() const {
  if (!(limits.time_limit > 0)) return 0.0;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - started_;
  return limits.time_limit - elapsed.count();
}

std::string JosephyNewton::name_of(int i) const {
  return i < static_cast<int>(names_.size()) ? names_[i] : fmt::format("z[{}]", i);
}

void JosephyNewton::describe(Status status, Result& result) const {
  if (status == Status::kStalled) {
    result.message = fmt::format("the residual stays at {:.1e}", best_natural_);
    if (false_answers_ > 0) {
      result.message += fmt::format(
          "; at {} points it vanished although F does not hold its signs at the bounds (poles)",
          false_answers_);
    }
  } else if (status == Status::kNumericalError) {
    result.message = fmt::format(
        "{}F[{}] (row of {}) is not finite at the start, and no point near it was found where all "
        "are",
        bad_jacobian_ ? "a derivative of " : "", bad_row_, bad_row_ >= 0 ? name_of(bad_row_) : "");
  } else if (status == Status::kStationary) {
    // The gradient (D_a + D_b J)' Phi vanishes: rows where Phi does not are linearly dependent.
    const double largest = lowest_phi_.lpNorm<Eigen::Infinity>();
    std::string rows;
    int singular = 0;
    for (int i = 0; i < map_.size(); ++i) {
      if (std::abs(lowest_phi_[i]) < kSingularShare * largest) continue;
      if (++singular <= kNamedRows) rows += (rows.empty() ? "" : ", ") + name_of(i);
    }
    if (singular > kNamedRows) rows += fmt::format(" and {} more", singular - kNamedRows);
    result.message = fmt::format(
        "a minimum of the merit function that is no solution (residual {:.1e}); singular rows: {}",
        best_natural_, rows);
  }
}

void JosephyNewton::add_statistics(Result& result) const {
  const auto add = [&](std::string_view name, double value) {
    result.statistics.emplace_back(name, value);
  };
  const auto steps = [&](StepType type) { return step_counts_[static_cast<int>(type)]; };
  add("attempts", attempt_ + 1);
  add("crash_iterations", crash_steps_);
  add("major_iterations", iterations_ - crash_steps_);
  add("minor_iterations", static_cast<double>(linearised_.pivots()));
  add("function_evaluations", map_.evaluations);
  add("jacobian_evaluations", map_.jacobian_evaluations);
  add("factorisations", system_.factorisations + linearised_.factorisations());
  add("linear_solves", system_.linear_solves + linearised_.linear_solves());
  add("singular_systems", singular_systems_);
  add("failed_paths", rays_);
  add("domain_violations", shortened_);
  add("false_answers", false_answers_);
  add("path_steps", steps(StepType::kPath) + steps(StepType::kPathEnd));
  add("proximal_steps", steps(StepType::kProximal));
  add("least_squares_steps", steps(StepType::kLeastSquares));
  add("gradient_steps", steps(StepType::kGradient));
  add("watchdog_returns", steps(StepType::kWatchdog));
  add("sparse", map_.jacobian().has_sparse_systems());
}

}  // namespace perp
