// Friction that takes away most energy, without complementarity.
#pragma once

#include <perp/formulations/formulation.hpp>

namespace perp {

/// Contact as convex programs [DrumwrightShell2010]: normal impulses of a frictionless contact
/// first (QP3), then, with no more normal impulse in total, the impulses that leave least kinetic
/// energy within their friction cones (QP1, QP2). A second phase that is cut short leaves the first
/// one, so no step fails. Derivation: README.md.
enum class DissipationModel {
  kImpulse,  ///< impulses as unknowns, velocity level: impacts and resting contact (QP1)
  kStep      ///< velocities and impulses as unknowns, gaps in the constraints (QP2)
};

/// Options: rest_speed=V (m/s). @throws std::invalid_argument
std::unique_ptr<Formulation> make_max_dissipation(DissipationModel model,
                                                  const std::string& options);

}  // namespace perp
