// Contacts of polygonal pins in polygonal holes.
#pragma once

#include <perp/formulations/dynamics/state.hpp>
#include <vector>

namespace perp {

/// A vertex of the pin near a face of the hole. The gap is that of the vertex to the plane of the
/// face, so that its derivative is the normal velocity at the vertex, however the bodies turn.
struct BearingPoint {
  int feature;      ///< of the bearings of the scene: bearing, section, vertex and face
  Vector3d point;   ///< the vertex, world
  Vector3d normal;  ///< unit, world, into the pin
  double gap;       ///< m; < 0 overlapping
};

/// All vertices within `slack` of a face: of each the two faces that are nearest, since both meet
/// where it is in a corner of the hole. `first_feature` is that of the bearing.
std::vector<BearingPoint> bearing_points(const Scene& scene, const State& state,
                                         const Bearing& bearing, int first_feature, double slack);

/// How many features a bearing has.
inline int feature_count(const Bearing& b) {
  return static_cast<int>(b.sections.size()) * b.corners * b.corners;
}

/// Velocity of the pin at a point less that of the hole, m/s.
Vector3d relative_velocity(const State& state, const Bearing& bearing, const Vector3d& point);

}  // namespace perp
