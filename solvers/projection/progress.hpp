// What iterations that only converge in the limit need to know about their progress.
#pragma once

#include <cmath>
#include <limits>
#include <perp/problems/limits/deadline.hpp>
#include <perp/solvers/core/solver.hpp>
#include <string_view>

namespace perp {

/// Watches a sequence of residuals: still falling, standing still, or growing without bound.
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

/// What is known at the end of an iteration.
struct IterationEnd {
  const IterationRecord& record;
  const Progress& progress;
  const Deadline& deadline;
  bool broken;            ///< numbers are not finite, or nothing can come of them
  double residual;        ///< the last or best one, for the message
  std::string_view what;  ///< "sweeps", "iterations"
};

/// Whether the solve ends here: interrupted, solved (as result.status says already), diverged,
/// stalled or out of time. Sets status and message.
bool ends_here(const IterationEnd& end, Observer* observer, Result& result);

}  // namespace perp
