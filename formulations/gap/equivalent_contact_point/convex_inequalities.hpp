// Convex bodies as intersections of convex inequalities f_i(y) <= 0 in the body frame.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <perp/problems/scenes/shapes.hpp>
#include <string>
#include <vector>

namespace perp {

/// f(y) = 1/2 y'Cy + N.y - offset with C = diag(curvature) >= 0 and N = normal. It is scaled such
/// that f is nearly the distance for points near the surface: |grad f| = 1 on planes, spheres and
/// cylinders.
struct ConvexInequality {
  Vector3d curvature, normal;
  double offset;

  template <class T>
  T value(const Eigen::Matrix<T, 3, 1>& y) const {
    T sum(-offset);
    for (int k = 0; k < 3; ++k) {
      if (curvature[k] != 0.0) sum = sum + y[k] * y[k] * T(0.5 * curvature[k]);
      if (normal[k] != 0.0) sum = sum + y[k] * T(normal[k]);
    }
    return sum;
  }
  template <class T>
  Eigen::Matrix<T, 3, 1> gradient(const Eigen::Matrix<T, 3, 1>& y) const {
    Eigen::Matrix<T, 3, 1> g;
    for (int k = 0; k < 3; ++k) {
      g[k] = T(normal[k]);
      if (curvature[k] != 0.0) g[k] = g[k] + y[k] * T(curvature[k]);
    }
    return g;
  }
  /// The same inequality if lengths are divided by `length` (m).
  ConvexInequality in_units_of(double length) const {
    return {curvature * length, normal, offset / length};
  }
};

/// The inequalities whose intersection is a shape: one plane for a half-space, six planes for a
/// box, the faces of a polyhedron, the side and two caps of a cylinder, one inequality for a sphere
/// or an ellipsoid. Empty for other shapes.
std::vector<ConvexInequality> convex_inequalities(const Shape& shape);

}  // namespace perp
