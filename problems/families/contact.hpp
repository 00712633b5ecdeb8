// Frictional contact LCPs of boxes and random bodies.
#pragma once

#include <perp/problems/families/contact_scene.hpp>
#include <perp/problems/families/family.hpp>

namespace perp {

/// The velocity-level LCP of frictional contact with a 4-edge pyramid [AnitescuPotra1997, Sec. 2;
/// StewartTrinkle1996], velocities eliminated: unknowns (normal impulses, 4 tangential impulses a
/// contact, one slip multiplier a contact), 6 a contact,
///   M = [ N; D ] M^-1 [ N; D ]'  bordered by the rows  w_D += E lambda,  w_lambda = mu c_n - E'
///   beta.
Lcp pyramid_contact_lcp(const ContactScene& scene, double mu, Problem& facts);

Family contact_stack_family();  ///< columns of boxes, 4 contacts a face
Family contact_tower_family();  ///< one column
Family contact_pile_family();   ///< random bodies and contacts

}  // namespace perp
