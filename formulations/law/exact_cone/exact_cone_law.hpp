// Coulomb friction with its exact cone.
#pragma once

#include <perp/formulations/law/law.hpp>

namespace perp {

/// One friction_contact in de Saxce's form for each step, with Newton's restitution
/// [AcaryBremondHuber2018]. Setting: velocities (eliminated into W, or kept: the problem has J and
/// M).
std::unique_ptr<ContactLaw> make_exact_cone_law();

}  // namespace perp
