// Time steps with geometry taken at their beginning.
#pragma once

#include <perp/formulations/formulation.hpp>
#include <perp/formulations/gap/gaps.hpp>
#include <perp/formulations/law/law.hpp>
#include <perp/formulations/stepping/motion_rule.hpp>
#include <perp/problems/settings/settings.hpp>
#include <string>

namespace perp {

/// What contacts ask of the velocities at the end of a step.
enum class StepLevel {
  kPosition,  ///< N v+ >= -gap/h: gaps are closed within the step, drifts of joints taken back
  kVelocity   ///< N v+ >= 0 of what touches; gaps do not count, so contacts are rigid
};

struct ImpulseStepChoices {
  std::string name;  ///< of the formulation
  GapChoice gap;
  StepLevel level = StepLevel::kPosition;
  double rest_speed = 1e-3;  ///< m/s: slower approaches (or than h|g|) do not bounce

  void visit_settings(SettingVisitor& visitor);
};

/// A model of three values: how gaps are measured, which law contacts have, and how the step is
/// taken: on which level, and how bodies move. If the gap is no length it has two columns, both of
/// the beginning of the step: `generalised_speed`, the norm of all velocities (m/s, rad/s), and
/// `infeasibility_in_units`, the largest overlap in its units or value of a joint.
std::unique_ptr<Formulation> make_impulse_step(ImpulseStepChoices choices,
                                               std::unique_ptr<MotionRule> motion,
                                               std::unique_ptr<ContactLaw> law);

}  // namespace perp
