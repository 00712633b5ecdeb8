// Compliant contact as a convex problem.
#pragma once

#include <perp/formulations/law/law.hpp>

namespace perp {

/// Contacts that give way, along the normal and a little along the surface too, so that the step is
/// a strictly convex convex_contact in the velocities [CastroPermenterHan2022]. Rigid contacts are
/// as stiff as the step can resolve. Joints hold: velocities are those that fulfil their equations.
/// Settings: beta, sigma.
std::unique_ptr<ContactLaw> make_compliant_law();

}  // namespace perp
