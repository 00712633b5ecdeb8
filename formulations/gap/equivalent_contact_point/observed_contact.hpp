// The contact that a motion tells of.
#pragma once

#include <perp/formulations/dynamics/state.hpp>

namespace perp {

/// What one contact did to a body within a step, and where.
struct ObservedContact {
  Vector3d point;    ///< the equivalent contact point, world, m
  Vector3d impulse;  ///< on the body, N s
  double p_n = 0.0;  ///< its part along the normal, N s
  double p_r = 0.0;  ///< angular impulse about the normal through the point, N m s
};

/// Contact point and impulses of a body in space with one contact on a plane, from its motion alone
/// [XieChakraborty2020, Section 5: Eqs. 21 to 28]: what the step changed beyond free motion is the
/// impulse p and the moment c about the mass centre, and
///   r x p + n p_r = c,   n.r = what the plane says
/// are four equations for the arm r and p_r, with determinant -(n.p)^2.
/// @param before, after states at the ends of a step of length h; only this body is looked at
/// @param normal unit, out of the plane, towards the body; the plane is {x : normal.x = offset}
/// @throws std::invalid_argument if n.p is not positive: the body was not pressed on the plane, so
/// that nothing can be said, or the scene is not 3D.
ObservedContact observed_contact(const Scene& scene, const State& before, const State& after,
                                 double h, int body, const Vector3d& normal, double offset);

}  // namespace perp
