// Contact points of two shapes from the features that meet.
#pragma once

#include <optional>
#include <perp/formulations/collision/separation.hpp>
#include <vector>

namespace perp {

/// A contact point of a pair (a, b). `feature` tells the points of a pair apart; it is the same
/// from step to step.
struct PairContact {
  int feature;
  /// Point between the surfaces, m, and unit normal into a. If a pair has several points, they are
  /// in one plane across the normal, midway at the smallest gap. So the pair has a relative motion
  /// that closes all gaps and slides at no point; else friction could hold all but one of them.
  Vector3d point, normal;
  double gap;  ///< m
  /// For a Gap that measures no length: gap = unit * measured value, m. Else 1.
  double unit = 1.0;
};

/// The contacts between the features of a and b that face each other along the normal. The
/// reference is a face of b, or else of a, whose normal is the given one (to 1e-5 rad). The feature
/// of the other shape that faces it, a face or an edge, is clipped by the sides of the reference;
/// the remaining corners are the contacts, with their distances to the reference as gaps. If there
/// is no such face, two edges that are nearly parallel (0.02 rad) are clipped by each other's ends.
/// In all other cases, and if clipping leaves nothing, there is no contact.
/// @param margin largest gap, m
std::vector<PairContact> clipped_contacts(const PlacedShape& a, const PlacedShape& b,
                                          const Vector3d& normal, double margin);

/// Contacts of two convex 3D shapes, except half-spaces, with gaps of at most `margin`, m.
std::vector<PairContact> pair_contacts(const PlacedShape& a, const PlacedShape& b, double margin);

/// Contacts of two boxes or polyhedra, by separating axes: face normals and cross products of
/// edges. An edge axis is chosen only if it separates by clearly more than every face (1e-3 of the
/// half width of the smaller body, here called e), so that the choice does not change from step to
/// step. A face is also given up if the corner nearest to its plane does not lie above it: if no
/// contact above it is within e of its axis' gap. In place of a face, the nearest points of the two
/// edges are the contact, and corners of overlapping faces about them may be contacts too; or, if
/// the points of the edges are beyond their ends, the nearest points of the bodies alone. So the
/// smallest gap of bodies that are apart is their distance, to about e. Above 40 000 pairs of
/// edges, the nearest points take the place of separating axes.
std::vector<PairContact> polytope_contacts(const PlacedShape& a, const PlacedShape& b,
                                           double margin);

/// Contacts of two polygons, discs, or a polygon and a disc, in 2D.
std::vector<PairContact> planar_contacts(const PlacedShape& a, const PlacedShape& b, double margin);

}  // namespace perp
