// The equivalent contact point of two convex bodies as equations.
#pragma once

#include <perp/formulations/gap/equivalent_contact_point/convex_inequalities.hpp>
#include <perp/formulations/gap/implicit/implicit_gap.hpp>

namespace perp {

/// Ways to write the geometry of a contact (ContactPair::form).
enum class EcpForm : int {
  kPlane = 0,     ///< b is a half-space
  kDistance = 1,  ///< both bodies general, with their distance as an unknown; F is a
  kFirstIsA = 2,  ///< both general, with one active face of F; F is a
  kFirstIsB = 3   ///< the same, F is b
};

/// Where the unknowns of a contact of two general bodies stand.
struct GeneralUnknowns {
  int y1, y2;    ///< points in the body frames of F and G, 3 each
  int l1, l2;    ///< multipliers of F's and G's inequalities
  int distance;  ///< of kDistance, and one behind the multipliers
};
GeneralUnknowns general_unknowns(const Scene& scene, const RecordedPair& pair);

/// Inequalities of a body in units of the length scale of the scene.
std::vector<ConvexInequality> scaled_inequalities(const Scene& scene, int body);

/// Records the contact in the form of pair.pair.form. See README.md for the equations.
RecordedContact record_ecp_contact(StepRecorder& recorder, const RecordedPair& pair);

}  // namespace perp
