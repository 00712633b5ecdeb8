// Compliant contact as a convex problem.
#pragma once

#include <perp/formulations/law/law.hpp>

namespace perp {

/// Compliant contacts: they yield along the normal and a little along the surface too. So the step
/// is a strictly convex problem, a convex_contact in the velocities [CastroPermenterHan2022]. Rigid
/// contacts become as stiff as the step can resolve. Joints hold exactly: the unknowns are the
/// velocities that satisfy their equations. Settings: beta, sigma.
std::unique_ptr<ContactLaw> make_compliant_law();

}  // namespace perp
