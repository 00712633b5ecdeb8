// Whether F holds at the bounds what a small residual of a nonlinear problem promises.
#pragma once

#include <cmath>
#include <perp/problems/matrix/matrix.hpp>

namespace perp {

/// A natural residual near zero is not enough for a nonlinear F: at z = 0 it takes 0 <= z, 1/z - 5
/// >= 0 for solved, and points beyond a pole. So the verifier looks at p as well: z with the rows
/// whose |F_i| exceeds the tolerance put on the bound that F's sign points at, the others clamped
/// to their bounds. F(p) must be finite, and on those rows keep its sign within the tolerance. The
/// same here, so that solvers do not stop at such points.
class BoundSigns {
 public:
  /// @param f F(z) @param evaluate (p, f) -> whether F(p), to be put into f, is finite
  template <class Evaluate>
  bool hold(const Vector& z, const Vector& f, const Vector& lower, const Vector& upper,
            double tolerance, const Evaluate& evaluate) {
    p_ = z.cwiseMax(lower).cwiseMin(upper);
    const auto held = [&](Eigen::Index i) { return std::abs(f[i]) > tolerance; };
    for (Eigen::Index i = 0; i < z.size(); ++i) {
      const double bound = f[i] > 0 ? lower[i] : upper[i];
      if (held(i) && std::isfinite(bound)) p_[i] = bound;
    }
    if (!evaluate(p_, f_)) return false;
    for (Eigen::Index i = 0; i < z.size(); ++i) {
      const double against = f[i] > 0 ? -f_[i] : f_[i];
      if (held(i) && lower[i] < upper[i] && !(against <= tolerance)) return false;
    }
    return true;
  }

 private:
  Vector p_, f_;
};

}  // namespace perp
