// Contact with Coulomb friction, exact or compliant: the scenes of contact.hpp and others.
#pragma once

#include <perp/problems/families/contact_scene.hpp>
#include <perp/problems/families/family.hpp>

namespace perp {

/// How a scene is stated.
struct FrictionContactOptions {
  double mu = 0.5;
  bool planar = false;         ///< in the plane (x, z): dimension 2
  bool operator_form = false;  ///< J and M instead of W
  int duplicates = 0;          ///< copies of every contact, beside it
};

/// The problem of an impulse: W = J M^-1 J' (sparse), q = J v, rows in local order (n, t[, s]).
FrictionContact friction_contact(const ContactScene& scene, const FrictionContactOptions& options,
                                 Problem& facts);

Family friction_stack_family();     ///< the scenes of contact-stack
Family friction_tower_family();     ///< those of contact-tower
Family friction_pile_family();      ///< those of contact-pile
Family friction_granular_family();  ///< random packings of spheres
Family compliant_pile_family();     ///< the packings of friction-granular, compliant: convex
Family painleve_rods_family();      ///< rods in the plane for which friction is a paradox

}  // namespace perp
