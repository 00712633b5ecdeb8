// Frictional contact LCPs of boxes and random bodies.
#pragma once

#include <perp/problems/families/contact_scene.hpp>
#include <perp/problems/families/family.hpp>

namespace perp {

/// The velocity-level LCP of frictional contact with a 4-edge pyramid, velocities eliminated
/// [AnitescuPotra1997, Sec. 2; StewartTrinkle1996]. Each contact has 6 unknowns: its normal impulse
/// c_n, 4 tangential impulses beta and a slip multiplier lambda. All c_n come first, then all beta,
/// then all lambda. The matrix is
///   [ N; D ] M^-1 [ N; D ]',  M the mass matrix,
/// bordered by the rows
///   w_D += E lambda,  w_lambda = mu c_n - E' beta.
/// @param facts receives the contacts and the names of the unknowns
Lcp pyramid_contact_lcp(const ContactScene& scene, double mu, Problem& facts);

Family contact_stack_family();  ///< columns of boxes, 4 contacts in each face
Family contact_tower_family();  ///< one column
Family contact_pile_family();   ///< random bodies and contacts

}  // namespace perp
