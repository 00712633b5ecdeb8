// The damping of Levenberg-Marquardt steps.
#pragma once

#include <algorithm>

namespace perp {

/// How the damping changes.
struct DampingRules {
  double first = 1e-6;               ///< share at the beginning of a run
  double after_full = 0.25;          ///< factor after a full step
  double short_below = 0.25;         ///< shorter steps count as short; a refused one has length 0
  double after_short = 10.0;         ///< factor after a short step
  double least = 1e-10, most = 1.0;  ///< limits of the share
};

/// mu of min ||Phi + J d||^2 + mu ||d||^2 as a share of ||Phi||: it grows after a step that was
/// refused or short, and falls after a full one.
class LeastSquaresDamping {
 public:
  void begin(const DampingRules& rules) {
    rules_ = rules;
    share_ = rules.first;
  }
  double share() const { return share_; }
  /// @param step length that was accepted, 0: none
  void follow(double step) {
    if (step < rules_.short_below) share_ *= rules_.after_short;
    if (step == 1.0) share_ *= rules_.after_full;
    share_ = std::clamp(share_, rules_.least, rules_.most);
  }

 private:
  DampingRules rules_;
  double share_ = 0.0;
};

}  // namespace perp
