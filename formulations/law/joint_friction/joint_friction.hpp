// Friction in the joints of arms.
#pragma once

#include <perp/formulations/formulation.hpp>
#include <perp/problems/settings/settings.hpp>
#include <string>

namespace perp {

/// Settings of joint-friction.
struct JointFrictionSettings {
  std::string method = "qp";
  std::string viscous = "before";

  /// Shows every setting.
  void visit(SettingVisitor& visitor);
};

/// Time stepping in reduced coordinates. The friction impulse of a step is the one within its
/// bounds that removes most kinetic energy, a BoxQp [DrumwrightShell2010, QP4]. With
/// method=explicit no problem is posed: friction is the torque at the beginning of the step
/// [DrumwrightShell2010, Eq. 6]. Scenes: trees of revolute, prismatic and fixed joints that begin
/// at fixed bodies; shapes do not collide. Derivation: README.md.
std::unique_ptr<Formulation> make_joint_friction(const JointFrictionSettings& settings);

}  // namespace perp
