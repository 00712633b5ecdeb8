// Area or volume, mass centre and inertia of shapes of constant density.
#pragma once

#include <Eigen/Core>
#include <perp/problems/scenes/shapes.hpp>

namespace perp {

/// For unit density, in the body frame.
struct MassProperties {
  double measure;    ///< area in 2D (m^2), volume in 3D (m^3)
  Vector3d centre;   ///< mass centre, m
  Matrix3d inertia;  ///< about the mass centre; of 2D shapes the zz entry only; kg m^2
};

/// @throws std::invalid_argument for half-spaces and bodies without a shape.
MassProperties mass_properties(const Shape& shape);

/// Axes in which an inertia tensor is diagonal: a rotation whose columns are the axes, in the order
/// and with the signs that turn the frame least. The identity where the tensor is diagonal already
/// (to 1e-9 of its trace).
Matrix3d principal_axes(const Matrix3d& inertia);

}  // namespace perp
