// Coulomb friction with its exact cone.
#pragma once

#include <perp/formulations/law/law.hpp>

namespace perp {

/// One friction_contact a step in de Saxce's form, with Newton's restitution
/// [AcaryBremondHuber2018]. Setting: velocities, eliminated into W or kept as the operator (J, M).
std::unique_ptr<ContactLaw> make_exact_cone_law();

}  // namespace perp
