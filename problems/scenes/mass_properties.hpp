// Area or volume, mass centre and inertia of shapes of constant density.
#pragma once

#include <Eigen/Core>
#include <perp/problems/scenes/shapes.hpp>

namespace perp {

/// For a density of 1 kg/m^3 (in 2D 1 kg/m^2), in the body frame.
struct MassProperties {
  double measure;    ///< area in 2D (m^2), volume in 3D (m^3)
  Vector3d centre;   ///< mass centre, m
  Matrix3d inertia;  ///< about the mass centre, kg m^2; 2D shapes have the zz entry only
};

/// @throws std::invalid_argument for half-spaces and bodies without a shape.
MassProperties mass_properties(const Shape& shape);

/// Axes in which an inertia tensor is diagonal: a rotation whose columns are the axes. Their order
/// and signs are those of the smallest rotation. The identity if the tensor is already diagonal (to
/// 1e-9 of its trace).
Matrix3d principal_axes(const Matrix3d& inertia);

}  // namespace perp
