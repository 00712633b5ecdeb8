// Contact points of two shapes from the features that meet.
#pragma once

#include <optional>
#include <perp/formulations/collision/separation.hpp>
#include <vector>

namespace perp {

/// A contact point of a pair (a, b). `feature` tells the points of a pair apart, the same from step
/// to step.
struct PairContact {
  int feature;
  Vector3d point, normal;  ///< point midway between the surfaces; normal pushes on a
  double gap;              ///< m
  /// Of what is measured, in m, where that is no length: it is gap / unit.
  double unit = 1.0;
};

/// The points where the features of a and b meet that look along the normal. A face on either side
/// whose normal it is (b's first) is the reference: what looks at it of the other shape, a face or
/// an edge, is clipped by its sides, and the corners are contacts with their distances to it. Edges
/// nearly parallel (0.02 rad) are clipped by each other's ends. Else, and where nothing is left by
/// clipping, there is none.
std::vector<PairContact> clipped_contacts(const PlacedShape& a, const PlacedShape& b,
                                          const Vector3d& normal, double margin);

/// Contacts of two convex 3D shapes, half-spaces excepted, with gaps of at most `margin`.
std::vector<PairContact> pair_contacts(const PlacedShape& a, const PlacedShape& b, double margin);

/// Of two boxes or polyhedra, by separating axes: face normals and products of edges. An edge axis
/// decides only where it separates by clearly more than every face (1e-3 of the smaller body's
/// half width), so that it does not change from step to step; then the nearest points of the
/// edges are the contact. Where the faces of the axis do not lie over each other, the nearest
/// points are.
std::vector<PairContact> polytope_contacts(const PlacedShape& a, const PlacedShape& b,
                                           double margin);

/// Of two polygons, or a polygon and a disc, in 2D.
std::vector<PairContact> planar_contacts(const PlacedShape& a, const PlacedShape& b, double margin);

}  // namespace perp
