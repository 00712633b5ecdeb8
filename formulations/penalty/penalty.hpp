// Contact by springs and dampers.
#pragma once

#include <perp/formulations/formulation.hpp>

namespace perp {

struct PenaltySettings {
  double stiffness = 1e6;      ///< of a contact point, N/m
  double damping_ratio = 1.0;  ///< of the spring with the reduced mass of both bodies [-]
};

/// Explicit steps with a spring and a damper at every point that overlaps: what the other models
/// are compared with, and poses no problem. Options "stiffness=K", "damping_ratio=Z" and those of
/// gaps. @throws std::invalid_argument naming the option.
std::unique_ptr<Formulation> make_penalty(const std::string& options);

}  // namespace perp
