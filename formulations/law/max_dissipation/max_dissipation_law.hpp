// Friction that takes away most energy, without complementarity.
#pragma once

#include <perp/formulations/law/law.hpp>

namespace perp {

/// Contact as convex programs [DrumwrightShell2010]: normal impulses of a frictionless contact
/// first (QP3), then, with no more normal impulse in total, the impulses that leave least kinetic
/// energy within their friction cones. A second phase that is cut short leaves the first one, so no
/// step fails. Setting: velocities, kept as unknowns beside the impulses (QP2) or eliminated (QP1).
/// Derivation: README.md.
std::unique_ptr<ContactLaw> make_max_dissipation_law();

}  // namespace perp
