// Contact points of two boxes.
#pragma once

#include <perp/problems/scenes/scene.hpp>
#include <vector>

namespace perp {

struct OrientedBox {
  Vector3d centre;
  Matrix3d axes;  ///< columns: unit axes in the world
  Vector3d half;
};

struct BoxContact {
  int feature;
  Vector3d point, normal;  ///< normal pushes on the first box
  double gap;
};

/// The axis of largest separation among the 6 face normals and 9 edge products decides. A face
/// axis: the other box's most opposed face is clipped by the side planes of the reference face, and
/// its corners within `margin` of the face are contacts, with their distances to it. An edge axis
/// (only where it separates by clearly more than every face): the nearest points of the two edges.
std::vector<BoxContact> box_box_contacts(const OrientedBox& a, const OrientedBox& b, double margin);

}  // namespace perp
