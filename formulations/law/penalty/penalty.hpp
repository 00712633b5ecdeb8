// Contact by springs and dampers.
#pragma once

#include <perp/formulations/formulation.hpp>
#include <perp/formulations/gap/gaps.hpp>
#include <perp/problems/settings/settings.hpp>

namespace perp {

/// Settings of penalty.
struct PenaltySettings {
  std::string name = "penalty";  ///< name of the formulation
  GapChoice gap;
  double stiffness = 1e6;      ///< of a contact point, N/m
  double damping_ratio = 1.0;  ///< of the spring with the reduced mass of both bodies [-]

  /// Shows every setting.
  void visit(SettingVisitor& visitor);
};

/// Explicit steps with a spring and a damper at every point that overlaps. The other models are
/// compared with it. It poses no problem.
std::unique_ptr<Formulation> make_penalty(const PenaltySettings& settings);

}  // namespace perp
