// Bilateral joints at the end of a step.
#pragma once

#include <perp/formulations/dynamics/step_recorder.hpp>
#include <vector>

namespace perp {

/// A row of a joint in a recorded step: where its impulse stands, and the unit of that, which is
/// impulse * length^power.
struct JointRow {
  int unknown;
  int power;
};

/// Adds the joints of the scene: their impulses push with the Jacobian at the end of the step, and
/// their rows are Theta(q^{l+1}) = 0, exact and not linearised, in the unit of length. Same rows in
/// the same order as joint_constraints.
std::vector<JointRow> record_joints(StepRecorder& step);

}  // namespace perp
