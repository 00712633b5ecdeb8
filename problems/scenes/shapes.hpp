// Convex shapes of bodies: support functions, features, implicit functions. Body frame, SI.
#pragma once

#include <Eigen/Core>
#include <perp/problems/scenes/polyhedron.hpp>
#include <string_view>
#include <variant>
#include <vector>

namespace perp {

/// Solid below the plane n.x = offset of the body frame, n the outward unit normal.
struct HalfSpace {
  Vector3d normal;
  double offset;
  bool operator==(const HalfSpace&) const = default;
};
/// 2D, centred at the body's origin.
struct Disc {
  double radius;
  bool operator==(const Disc&) const = default;
};
/// 2D, convex, vertices counterclockwise in the body frame (z = 0).
struct Polygon {
  std::vector<Vector3d> vertices;
  bool operator==(const Polygon&) const = default;
};
struct Sphere {
  double radius;
  bool operator==(const Sphere&) const = default;
};
struct Box {
  Vector3d half;  ///< half the edge lengths
  bool operator==(const Box&) const = default;
};
struct Ellipsoid {
  Vector3d half;  ///< semi-axes
  bool operator==(const Ellipsoid&) const = default;
};
/// ((|x/a|^(2/e2) + |y/b|^(2/e2))^(e2/e1) + |z/c|^(2/e1)) <= 1 with (a, b, c) = half and
/// 0 < e1, e2 < 2: 1 is round, near 0 square, near 2 like an octahedron.
struct Superquadric {
  Vector3d half;
  double e1, e2;
  bool operator==(const Superquadric&) const = default;
};
/// About the z axis of the body frame, between z = -half_length and half_length.
struct Cylinder {
  double radius, half_length;
  bool operator==(const Cylinder&) const = default;
};

using Shape = std::variant<std::monostate, HalfSpace, Disc, Polygon, Sphere, Box, Ellipsoid,
                           Superquadric, Cylinder, Polyhedron>;
/// "none", "half_space", "disc", "polygon", "sphere", "box", "ellipsoid", "superquadric",
/// "cylinder", "polyhedron".
std::string_view shape_name(const Shape& shape);

/// The vertices, faces and edges of a polyhedron or (a scaled cube) a box; nothing for others.
const Polyhedron* mesh_of(const Shape& shape);
/// What the mesh's vertices are multiplied by: half for a box, 1 for a polyhedron.
Vector3d mesh_scale(const Shape& shape);

/// Radius of a ball about the origin that holds the shape; infinite for half-spaces, 0 for none.
double bounding_radius(const Shape& shape);

/// A point of the shape farthest in a direction (any length, not zero; in 2D its z must be 0).
/// @throws std::invalid_argument for half-spaces and bodies without a shape.
Vector3d support_point(const Shape& shape, const Vector3d& direction);

/// A part of the surface: one point, two ends of a segment, or the corners of a face,
/// counterclockwise from outside. `ids` tell the points of a shape apart; `edges[k]`, of a face,
/// its side from point k to the next.
struct Feature {
  std::vector<Vector3d> points;
  std::vector<int> ids, edges;
  Vector3d normal = Vector3d::Zero();  ///< of a face, unit, outward; else zero
  bool is_face() const { return points.size() > 2; }
};

constexpr int kRimPoints = 8;  ///< of a cylinder's cap that stand for its circle

/// The feature that looks in the unit direction: a face whose normal is within `tolerance` (rad) of
/// it, else a straight edge as near to perpendicular to it, else the support point. Faces and edges
/// are those at the support point, so that the feature holds a support point. Of a cylinder, a cap
/// is given by 8 points of its rim that keep their places in the body, and by its support point
/// where the cap is tilted; the side is a segment.
Feature support_feature(const Shape& shape, const Vector3d& direction, double tolerance);

/// Negative inside, positive outside, zero on the surface. Sphere, disc, ellipsoid: sum of
/// (x/half)^2 less 1; superquadric: the left side above less 1; half-space: n.x - offset; polygon,
/// box, polyhedron: the largest of its half-spaces; cylinder: the larger of (x^2 + y^2 - r^2) /
/// (2r) and |z| - half_length.
double implicit_value(const Shape& shape, const Vector3d& x);
/// Gradient of implicit_value; where two pieces meet, of one of them.
Vector3d implicit_gradient(const Shape& shape, const Vector3d& x);

/// The half-spaces whose intersection a half-space, polygon, box or polyhedron is; empty for
/// others.
std::vector<HalfSpace> half_spaces_of(const Shape& shape);

}  // namespace perp
