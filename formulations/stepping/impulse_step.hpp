// Time steps whose geometry is that of their beginning.
#pragma once

#include <perp/formulations/formulation.hpp>
#include <perp/formulations/gap/gaps.hpp>
#include <perp/formulations/law/law.hpp>
#include <perp/formulations/stepping/motion_rule.hpp>
#include <perp/problems/settings/settings.hpp>
#include <string>

namespace perp {

/// The conditions of contacts on the velocities at the end of a step.
enum class StepLevel {
  kPosition,  ///< N v+ >= -gap/h: closes gaps within the step, corrects drifts of joints
  kVelocity   ///< N v+ >= 0 for touching contacts; gaps do not count; contacts are rigid
};

/// Settings of a step with geometry at its beginning.
struct ImpulseStepChoices {
  std::string name;  ///< name of the formulation
  GapChoice gap;
  StepLevel level = StepLevel::kPosition;
  double rest_speed = 1e-3;  ///< m/s; approaches slower than this or than h|g| do not bounce

  /// Shows every setting.
  void visit_settings(SettingVisitor& visitor);
};

/// A model from three choices: how gaps are measured, the contact law, and how the step is taken
/// (its level, and how bodies move). If the gap measures no length, the model has two columns, both
/// for the beginning of the step: `generalised_speed`, the norm of all velocities (m/s, rad/s), and
/// `infeasibility_in_units`, the largest overlap in its unit, or value of a joint.
std::unique_ptr<Formulation> make_impulse_step(ImpulseStepChoices choices,
                                               std::unique_ptr<MotionRule> motion,
                                               std::unique_ptr<ContactLaw> law);

}  // namespace perp
