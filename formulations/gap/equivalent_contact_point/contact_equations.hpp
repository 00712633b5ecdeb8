// The equivalent contact point of two convex bodies as equations.
#pragma once

#include <perp/formulations/gap/equivalent_contact_point/convex_inequalities.hpp>
#include <perp/formulations/gap/implicit/implicit_gap.hpp>

namespace perp {

/// Ways to write the geometry of a contact (ContactPair::form).
enum class EcpForm : int {
  kPlane = 0,     ///< b is a half-space
  kDistance = 1,  ///< two general bodies, with their distance as an unknown; F is a
  kFirstIsA = 2,  ///< two general bodies, with one active face of F; F is a
  kFirstIsB = 3   ///< the same; F is b
};

/// Indices of the unknowns of a contact of two general bodies F and G.
struct GeneralUnknowns {
  int apart;     ///< 3 unknowns: the way from the closest point of F to that of G, world
  int y2;        ///< 3 unknowns: the closest point of G, in its frame
  int l1, l2;    ///< multipliers of the inequalities of F and of G
  int distance;  ///< only in the form kDistance; the index after the multipliers
};
GeneralUnknowns general_unknowns(const Scene& scene, const RecordedPair& pair);

/// Inequalities of a body in units of the length scale of the scene.
std::vector<ConvexInequality> scaled_inequalities(const Scene& scene, int body);

/// Records the contact in the form of pair.pair.form. See README.md for the equations.
RecordedContact record_ecp_contact(StepRecorder& recorder, const RecordedPair& pair);

}  // namespace perp
