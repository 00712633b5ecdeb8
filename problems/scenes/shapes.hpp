// Convex shapes of bodies: support functions, features, implicit functions. In the body frame, SI
// units.
#pragma once

#include <Eigen/Core>
#include <perp/problems/scenes/polyhedron.hpp>
#include <string_view>
#include <variant>
#include <vector>

namespace perp {

/// The solid n.x <= offset in the body frame, n the outward unit normal.
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
/// A ball with its centre at the origin of the body.
struct Sphere {
  double radius;
  bool operator==(const Sphere&) const = default;
};
/// A box with its centre at the origin of the body.
struct Box {
  Vector3d half;  ///< half the edge lengths
  bool operator==(const Box&) const = default;
};
/// An ellipsoid with its centre at the origin of the body.
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

/// The shape of a body, or none.
using Shape = std::variant<std::monostate, HalfSpace, Disc, Polygon, Sphere, Box, Ellipsoid,
                           Superquadric, Cylinder, Polyhedron>;
/// "none", "half_space", "disc", "polygon", "sphere", "box", "ellipsoid", "superquadric",
/// "cylinder", "polyhedron".
std::string_view shape_name(const Shape& shape);

/// The vertices, faces and edges of a polyhedron, or of the cube that a box is scaled from; nullptr
/// for other shapes.
const Polyhedron* mesh_of(const Shape& shape);
/// Factors on the coordinates of the vertices of mesh_of(): `half` for a box, 1 for a polyhedron.
Vector3d mesh_scale(const Shape& shape);

/// Radius of a ball about the origin that contains the shape, m; infinite for a half-space, 0
/// without a shape.
double bounding_radius(const Shape& shape);

/// A point of the shape farthest in a direction (any length, not zero; in 2D its z must be 0).
/// @throws std::invalid_argument for half-spaces and bodies without a shape.
Vector3d support_point(const Shape& shape, const Vector3d& direction);

/// A part of the surface: one point, two ends of a segment, or the corners of a face,
/// counterclockwise as seen from outside. `ids` are numbers that tell the points of a shape apart.
/// `edges[k]` of a face is the number of its side from point k to the next one.
struct Feature {
  std::vector<Vector3d> points;
  std::vector<int> ids, edges;
  Vector3d normal = Vector3d::Zero();  ///< of a face, unit, outward; else zero
  bool is_face() const { return points.size() > 2; }
};

constexpr int kRimPoints = 8;  ///< points that stand for the circle of a cylinder's cap

/// The feature that faces in the unit direction: a face whose normal is within `tolerance` (rad) of
/// the direction, else a straight edge that is perpendicular to it within `tolerance`, else the
/// support point. Only faces and edges at the support point are taken, so that the feature contains
/// a support point. A cap of a cylinder is given by 8 points of its rim that are fixed in the body,
/// and, if the cap is tilted, by its support point, which replaces rim points near it. The side of
/// a cylinder is given by a segment.
Feature support_feature(const Shape& shape, const Vector3d& direction, double tolerance);

/// A function that is negative inside, positive outside and zero on the surface. Sphere, disc,
/// ellipsoid: sum of (x/half)^2, minus 1; superquadric: the left side of its inequality, minus 1;
/// half-space: n.x - offset; polygon, box, polyhedron: the largest value of its half-spaces;
/// cylinder: the larger of (x^2 + y^2 - r^2) / (2r) and |z| - half_length.
double implicit_value(const Shape& shape, const Vector3d& x);
/// Gradient of implicit_value(). At a point where two pieces meet, it is the gradient of one of
/// them.
Vector3d implicit_gradient(const Shape& shape, const Vector3d& x);

/// The half-spaces whose intersection a half-space, polygon, box or polyhedron is; empty for
/// others.
std::vector<HalfSpace> half_spaces_of(const Shape& shape);

}  // namespace perp
