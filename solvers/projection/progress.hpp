// The progress of iterations that converge only in the limit.
#pragma once

#include <cmath>
#include <limits>
#include <perp/problems/limits/deadline.hpp>
#include <perp/solvers/core/solver.hpp>
#include <string_view>

namespace perp {

/// Watches a sequence of residuals. It has stalled after `patience` residuals without a gain of
/// 1 %, and diverged if a residual is not finite or 1e10 times the first one.
class Progress {
 public:
  explicit Progress(int patience) : patience_(patience) {}

  void look(double residual) {
    if (first_ < 0) first_ = residual;
    diverged = !std::isfinite(residual) || residual > kGrowth * std::fmax(first_, 1e-300);
    without_gain_ = residual <= kGain * reference_ ? 0 : without_gain_ + 1;
    if (without_gain_ == 0) reference_ = residual;
    stalled = without_gain_ >= patience_;
  }

  bool diverged = false, stalled = false;

 private:
  static constexpr double kGain = 0.99, kGrowth = 1e10;
  int patience_, without_gain_ = 0;
  double first_ = -1.0, reference_ = std::numeric_limits<double>::infinity();
};

/// The state at the end of an iteration.
struct IterationEnd {
  const IterationRecord& record;
  const Progress& progress;
  const Deadline& deadline;
  bool broken;            ///< numbers are not finite, or the iterations cannot converge
  double residual;        ///< the last or best one, for the message
  std::string_view what;  ///< "sweeps", "iterations"
};

/// Whether the solve ends here: interrupted, solved (if result.status says so already),
/// numerical_error (diverged), stalled or time_limit. Sets status and message.
bool ends_here(const IterationEnd& end, Observer* observer, Result& result);

}  // namespace perp
