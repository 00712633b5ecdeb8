// How far Levenberg-Marquardt steps are damped.
#pragma once

#include <algorithm>

namespace perp {

/// mu of min ||Phi + J d||^2 + mu ||d||^2 as a share of ||Phi||: it grows tenfold after a step that
/// was refused or shortened below a quarter, and falls to a quarter after a full one. Always within
/// 1e-10 ... 1.
class LeastSquaresDamping {
 public:
  void begin() { share_ = 1e-6; }
  double share() const { return share_; }
  /// @param step length that was accepted, 0: none
  void follow(double step) {
    if (step < 0.25) share_ *= 10.0;
    if (step == 1.0) share_ *= 0.25;
    share_ = std::clamp(share_, 1e-10, 1.0);
  }

 private:
  double share_ = 1e-6;
};

}  // namespace perp
