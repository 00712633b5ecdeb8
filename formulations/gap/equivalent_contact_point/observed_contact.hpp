// The contact that can be computed from a motion.
#pragma once

#include <perp/formulations/dynamics/state.hpp>

namespace perp {

/// The impulses of one contact on a body within a step, and its point.
struct ObservedContact {
  Vector3d point;    ///< the equivalent contact point, world, m
  Vector3d impulse;  ///< on the body, N s
  double p_n = 0.0;  ///< its part along the normal, N s
  double p_r = 0.0;  ///< angular impulse about the normal through the point, N m s
};

/// Contact point and impulses of a body in space with one contact on a plane, computed from its
/// motion alone [XieChakraborty2020, Section 5: Eqs. 21 to 28]. The change of momentum in the step
/// beyond free motion is the impulse p, the change of angular momentum is the angular impulse c
/// about the mass centre. Then
///   r x p + n p_r = c,   n.r = offset - n.(mass centre)
/// are four equations for the arm r and p_r, with determinant -(n.p)^2.
/// @param before, after states at the two ends of a step of length h (s)
/// @param body the only body whose motion is used
/// @param normal unit, out of the plane, towards the body; the plane is {x : normal.x = offset}
/// @throws std::invalid_argument if n.p is not positive (the body was not pressed on the plane, so
/// the contact is unknown), if the body is fixed, or if the scene is not 3D
ObservedContact observed_contact(const Scene& scene, const State& before, const State& after,
                                 double h, int body, const Vector3d& normal, double offset);

}  // namespace perp
