// Signed distances of two convex shapes.
#pragma once

#include <perp/problems/scenes/shapes.hpp>

namespace perp {

/// A shape in the world: x = position + axes * (body-frame x). Keeps a pointer to the shape.
struct PlacedShape {
  const Shape* shape;
  Vector3d position;
  Matrix3d axes;

  Vector3d support(const Vector3d& direction) const {
    return position + axes * support_point(*shape, axes.transpose() * direction);
  }
};

/// How far two shapes are apart along the unit vector `normal`, which points into a:
///   s(u) = min over x in a of u.x - max over x in b of u.x.
struct Separation {
  Vector3d normal;
  double gap;                 ///< s(normal), m; < 0 overlapping
  Vector3d point_a, point_b;  ///< nearest points, or where overlapping the deepest ones
};

double separation_along(const PlacedShape& a, const PlacedShape& b, const Vector3d& normal);

/// The largest s(u): the distance of shapes that are apart, less the penetration depth (the least
/// translation that parts them) of shapes that overlap. Two polygons or polyhedra included, but no
/// half-spaces. Gaps are good to about 1e-11 of the size (1e-7 of bodies 20 times as long as wide),
/// normals to 1e-6. Of deep overlaps, and of overlaps of such long bodies, a local maximum may be
/// returned.
///
/// Ellipsoids and spheres: Newton's method on the unit sphere. Others, apart by more than 2% of the
/// size: the algorithm of [GilbertJohnsonKeerthi1988]. Else, and where that ends with an error of
/// more than 1e-11, it maximises s(u) - d/2 |u - u_k|^2 over unit u again and again: that is the
/// distance of the shapes once a is moved by d u_k, with d chosen to part them. The first u_0 is
/// the best of the line of centres, the axes and the direction of libccd's expanding polytope.
Separation separation(const PlacedShape& a, const PlacedShape& b);

}  // namespace perp
