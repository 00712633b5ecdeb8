// Families of contact with Coulomb friction, exact or compliant: the scenes of contact.hpp and
// more.
#pragma once

#include <perp/problems/families/contact_scene.hpp>
#include <perp/problems/families/family.hpp>

namespace perp {

/// How a scene is written as a problem.
struct FrictionContactOptions {
  double mu = 0.5;             ///< Coulomb coefficient of every contact
  bool planar = false;         ///< in the plane (x, z): dimension 2
  bool operator_form = false;  ///< J and M instead of W
  int duplicates = 0;          ///< how many copies of each contact are added
};

/// The problem for the impulses of one step: W = J M^-1 J' (sparse), q = J v with the velocities v
/// of the scene; rows contact by contact in local order (n, t[, s]).
/// @param facts receives the contacts
FrictionContact friction_contact(const ContactScene& scene, const FrictionContactOptions& options,
                                 Problem& facts);

Family friction_stack_family();     ///< the scenes of contact-stack
Family friction_tower_family();     ///< the scenes of contact-tower
Family friction_pile_family();      ///< the scenes of contact-pile
Family friction_granular_family();  ///< random packings of spheres
Family compliant_pile_family();     ///< the packings of friction-granular, compliant: convex
Family painleve_rods_family();      ///< rods in the plane that show Painleve's paradox of friction

}  // namespace perp
