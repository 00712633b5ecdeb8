// Friction in the joints of arms.
#pragma once

#include <perp/formulations/formulation.hpp>
#include <perp/problems/settings/settings.hpp>
#include <string>

namespace perp {

struct JointFrictionSettings {
  std::string method = "qp";
  std::string viscous = "before";

  void visit(SettingVisitor& visitor);
};

/// Time stepping in reduced coordinates; the friction of a step is the impulse that takes away most
/// kinetic energy within its bounds, a BoxQp [DrumwrightShell2010, QP4]. method=explicit poses no
/// problem and takes the friction torque of the beginning of the step [DrumwrightShell2010, Eq. 6].
/// Scenes: trees of revolute and prismatic joints that hang on fixed bodies; shapes do not collide.
/// Derivation: README.md.
std::unique_ptr<Formulation> make_joint_friction(const JointFrictionSettings& settings);

}  // namespace perp
