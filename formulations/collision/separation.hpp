// Signed distances of two convex shapes.
#pragma once

#include <perp/problems/scenes/shapes.hpp>

namespace perp {

/// A shape in the world: x = position + axes * (x in the body frame). Keeps a pointer to the shape.
struct PlacedShape {
  const Shape* shape;
  Vector3d position;
  Matrix3d axes;

  Vector3d support(const Vector3d& direction) const {
    return position + axes * support_point(*shape, axes.transpose() * direction);
  }
};

/// The distance of two shapes along the unit vector `normal`, which points into a:
///   s(u) = min over x in a of u.x - max over x in b of u.x.
struct Separation {
  Vector3d normal;
  double gap;                 ///< s(normal), m; < 0 overlapping
  Vector3d point_a, point_b;  ///< nearest points; of overlapping shapes the deepest ones
};

/// s(normal), m.
double separation_along(const PlacedShape& a, const PlacedShape& b, const Vector3d& normal);

/// The separation for the largest s(u): the distance of shapes that are apart, or minus the
/// penetration depth of shapes that overlap (the shortest translation that separates them). For all
/// shapes except half-spaces. The errors of gaps are about 1e-11 of the size (1e-7 for bodies 20
/// times as long as wide), those of normals 1e-6. For deep overlaps, and for overlaps of such long
/// bodies, the result may be a local maximum.
///
/// Ellipsoids and spheres: Newton's method on the unit sphere. Other shapes, if they are apart by
/// more than 2 % of the size: the algorithm of [GilbertJohnsonKeerthi1988]. If they are not, or if
/// that algorithm ends with an error of more than 1e-11 of the size, s(u) - d/2 |u - u_k|^2 is
/// maximised over unit u repeatedly: this is the distance of the shapes after a is moved by d u_k,
/// with d large enough to separate them. The first direction u_0 is the best of the line of
/// centres, the axes and the direction from the expanding polytope of libccd.
Separation separation(const PlacedShape& a, const PlacedShape& b);

}  // namespace perp
