// Checks the signs of F at the bounds for points with a small residual of a nonlinear problem.
#pragma once

#include <cmath>
#include <perp/problems/matrix/matrix.hpp>

namespace perp {

/// For a nonlinear F a natural residual near zero is not enough: it takes points near z = 0 for
/// solutions of 0 <= z, 1/z - 5 >= 0, and also points beyond a pole. So the verifier also checks a
/// point p: z clamped to its bounds, with the rows that have |F_i| above the tolerance put on the
/// bound that belongs to the sign of F_i (the lower one for F_i > 0). F(p) must be finite, and on
/// those rows it must keep its sign within the tolerance. Solvers do the same check here, so that
/// they do not stop at such points.
class BoundSigns {
 public:
  /// @param z, f, lower, upper n values each; f is F(z)
  /// @param evaluate evaluate(p, f) writes F(p) to f and returns whether it is finite
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
