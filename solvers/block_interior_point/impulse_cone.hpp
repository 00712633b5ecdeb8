// Projections on the cone of one contact, of one, two or three impulses.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace perp {

/// One cone of impulses: { p : ||(p_2, ..., p_size)|| <= mu p_1 }, or p_1 >= 0 for size 1.
struct ImpulseCone {
  int first = 0, size = 1;  ///< of the impulses; size at most 3
  double mu = 0.0;
};

inline double tangential(const ImpulseCone& cone, const double* z) {
  return cone.size == 1 ? 0.0 : cone.size == 2 ? std::abs(z[1]) : std::hypot(z[1], z[2]);
}

/// p := projection of z on the cone.
inline void project_on(const ImpulseCone& cone, const double* z, double* p) {
  const double t = tangential(cone, z);
  double normal = z[0], share = 1.0;
  if (cone.size == 1) {
    normal = std::max(0.0, z[0]);
  } else if (!(t <= cone.mu * z[0])) {
    const bool outside = cone.mu * t > -z[0];
    normal = outside ? (z[0] + cone.mu * t) / (1.0 + cone.mu * cone.mu) : 0.0;
    share = outside ? cone.mu * normal / t : 0.0;
  }
  p[0] = normal;
  for (int i = 1; i < cone.size; ++i) p[i] = share * z[i];
}

/// An element of the generalised Jacobian of the projection at z; the upper left size x size part.
inline Eigen::Matrix3d projection_derivative(const ImpulseCone& cone, const double* z) {
  Eigen::Matrix3d d = Eigen::Matrix3d::Zero();
  const double t = tangential(cone, z);
  if (cone.size == 1 ? z[0] > 0 : t <= cone.mu * z[0]) {
    for (int i = 0; i < cone.size; ++i) d(i, i) = 1.0;
  } else if (cone.size > 1 && cone.mu * t > -z[0]) {
    const double normal = (z[0] + cone.mu * t) / (1.0 + cone.mu * cone.mu);
    const double ratio = cone.mu * normal / t;
    Eigen::Vector3d axis = Eigen::Vector3d::Zero();
    for (int i = 1; i < cone.size; ++i) axis[i] = z[i] / t;
    const Eigen::Vector3d edge = Eigen::Vector3d::UnitX() + cone.mu * axis;
    d = edge * edge.transpose() / (1.0 + cone.mu * cone.mu) - ratio * axis * axis.transpose();
    for (int i = 1; i < cone.size; ++i) d(i, i) += ratio;
  }
  return d;
}

}  // namespace perp
