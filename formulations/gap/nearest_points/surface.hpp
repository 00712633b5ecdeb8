// Convex bodies as recorded implicit functions.
#pragma once

#include <optional>
#include <perp/formulations/dynamics/step_recorder.hpp>
#include <perp/problems/scenes/shapes.hpp>
#include <string>

namespace perp {

/// The recorded position and orientation of a body: x = centre + axes y, y in the body frame.
/// Lengths are in the unit of the step.
struct RecordedPose {
  ExprVector3 centre;
  ExprMatrix3 axes;
};

/// f and its gradient at a point, f < 0 inside. f has the unit of a length. On the surface the norm
/// of its gradient is about 1, so that f is about the distance for points near the surface.
struct RecordedSurface {
  Expr value;
  ExprVector3 gradient;
};

/// The reason why a shape has no such function, or nothing. Shapes with one: half-space, disc,
/// sphere, ellipsoid, and superquadrics with exponents of at most 1 (above 1 the curvature is
/// infinite at some points) and e2 of at least 0.1.
std::optional<std::string> surface_refusal(const Shape& shape);

/// The positive factor of f = factor * implicit_value(): for example half the smallest semi-axis of
/// a quadric. f has the zeros and signs of implicit_value().
double surface_factor(const Shape& shape);

/// f of a shape in a pose at x. With y = R'(x - centre), and lengths divided by `unit` (m):
///   half-space                 n.y - d
///   sphere, disc               (y.y - r^2) / (2r)
///   ellipsoid                  (s/2) (sum (y_i/a_i)^2 - 1),  s its least semi-axis
///   superquadric               (s e_1/2) (F(y) - 1),  F as in implicit_value
/// @throws std::invalid_argument for other shapes.
RecordedSurface record_surface(const Shape& shape, double unit, const RecordedPose& pose,
                               const ExprVector3& x);

}  // namespace perp
