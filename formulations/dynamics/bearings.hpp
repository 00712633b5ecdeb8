// Contacts of polygonal pins in polygonal holes.
#pragma once

#include <perp/formulations/dynamics/state.hpp>
#include <vector>

namespace perp {

/// A vertex of the pin near a face of the hole. The gap is the distance of the vertex from the
/// plane of the face. So its derivative is the normal velocity at the vertex, even if the bodies
/// turn.
struct BearingPoint {
  int feature;      ///< number of bearing, section, vertex and face in the scene
  Vector3d point;   ///< the vertex, world, m
  Vector3d normal;  ///< unit, world, into the pin
  double gap;       ///< m; < 0 overlapping
};

/// All vertices within `slack` (m) of a face, each with its two nearest faces, because a vertex in
/// a corner of the hole touches both.
/// @param first_feature number of the first feature of the bearing
std::vector<BearingPoint> bearing_points(const Scene& scene, const State& state,
                                         const Bearing& bearing, int first_feature, double slack);

/// The number of features of a bearing.
inline int feature_count(const Bearing& b) {
  return static_cast<int>(b.sections.size()) * b.corners * b.corners;
}

/// Velocity of the pin at a point (world) minus that of the hole, m/s.
Vector3d relative_velocity(const State& state, const Bearing& bearing, const Vector3d& point);

}  // namespace perp
