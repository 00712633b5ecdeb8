// Frictional contact LCPs of boxes and random bodies.
#pragma once

#include <Eigen/Core>
#include <perp/problems/families/family.hpp>

namespace perp {

/// A rigid body for impulse problems: inverse mass and principal inverse inertia about the world
/// axes (SI).
struct ContactBody {
  double inverse_mass;
  Eigen::Vector3d inverse_inertia;
};

/// A point contact; body -1 is the ground. The normal pushes on `a`; the arms lead from the mass
/// centres to the contact point (world frame, metres).
struct ContactPoint {
  int a, b;
  Eigen::Vector3d point, normal, arm_a, arm_b;
};

/// The velocity-level LCP of frictional contact with a 4-edge pyramid [AnitescuPotra1997, Sec. 2;
/// StewartTrinkle1996], velocities eliminated: unknowns (normal impulses, 4 tangential impulses a
/// contact, one slip multiplier a contact), 6 a contact,
///   M = [ N; D ] M^-1 [ N; D ]'  bordered by the rows  w_D += E lambda,  w_lambda = mu c_n - E'
///   beta.
/// @param velocity 6 per body: free linear and angular velocity before the impulse.
Lcp pyramid_contact_lcp(const std::vector<ContactBody>& bodies,
                        const std::vector<ContactPoint>& contacts, const Vector& velocity,
                        double mu, Problem& facts);

Family contact_stack_family();  ///< columns of boxes, 4 contacts a face
Family contact_tower_family();  ///< one column
Family contact_pile_family();   ///< random bodies and contacts

}  // namespace perp
