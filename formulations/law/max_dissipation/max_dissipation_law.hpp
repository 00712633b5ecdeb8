// Friction that removes most energy, without complementarity.
#pragma once

#include <perp/formulations/law/law.hpp>

namespace perp {

/// Contact as convex programs [DrumwrightShell2010]. The first phase finds the normal impulses
/// without friction (QP3). The second phase finds impulses within their friction cones that leave
/// the least kinetic energy, with no more normal impulse in total. If the second phase cannot be
/// solved, the answer of the first one is used, so no step fails. Setting: velocities (kept as
/// unknowns in addition to the impulses, QP2, or eliminated, QP1). Derivation: README.md.
std::unique_ptr<ContactLaw> make_max_dissipation_law();

}  // namespace perp
