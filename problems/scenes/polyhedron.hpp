// Convex polyhedra: hulls of points and intersections of half-spaces (by Qhull).
#pragma once

#include <Eigen/Core>
#include <array>
#include <perp/problems/matrix/eigen_layout.hpp>
#include <utility>
#include <vector>

namespace perp {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// A convex polyhedron in the body frame. Faces are whole polygons: coplanar ones are merged.
struct Polyhedron {
  double half_width =
      0.0;  ///< half the least distance between a face and the vertex farthest from it
  /// An edge between two vertices.
  struct Edge {
    int from, to;     ///< vertices
    int direction;    ///< index into edge_directions
    int left, right;  ///< faces on its sides
    bool operator==(const Edge&) const = default;
  };
  std::vector<Vector3d> vertices;
  std::vector<std::vector<int>> faces;       ///< vertices, counterclockwise from outside
  std::vector<std::vector<int>> face_edges;  ///< edge from each corner of a face to the next
  std::vector<Vector3d> normals;             ///< of the faces, unit, outward
  std::vector<double> offsets;               ///< normal.x = offset on a face
  std::vector<Edge> edges;
  std::vector<Vector3d> edge_directions;   ///< unit, no two parallel
  std::vector<std::vector<int>> faces_at;  ///< faces at each vertex
  bool operator==(const Polyhedron&) const = default;
};

/// The convex hull of points. Points inside it are left out; so are points nearer than 1e-7 of its
/// size to a face or an edge that does not need them. Faces that lie in one plane to this accuracy
/// are merged.
/// @throws std::invalid_argument for fewer than four points, points in a plane, or a hull that
/// Qhull cannot make or that has more than 10 000 faces
Polyhedron convex_hull(const std::vector<Vector3d>& points);

/// The points x with n.x <= offset for all (n, offset); n need not be a unit vector.
/// @throws std::invalid_argument if the intersection is empty, flat or unbounded
Polyhedron intersection(const std::vector<std::pair<Vector3d, double>>& half_spaces);

/// The cube between (-1, -1, -1) and (1, 1, 1); a box is this cube, scaled. The bits of k give the
/// signs of vertex k: bit 0 for x, 1 for y, 2 for z; a bit that is set means +1.
const Polyhedron& unit_cube();

/// The polyhedron with every vertex x replaced by r (x - origin). @param r a rotation
Polyhedron transformed(const Polyhedron& p, const Vector3d& origin, const Matrix3d& r);

}  // namespace perp
