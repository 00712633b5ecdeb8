// Bilateral joints at the end of a step.
#pragma once

#include <perp/formulations/dynamics/step_recorder.hpp>
#include <vector>

namespace perp {

/// A row of a joint in a recorded step: the index of its impulse among the unknowns, whose unit is
/// impulse * length^power (StepScales).
struct JointRow {
  int unknown;
  int power;
};

/// Adds the joints of the scene to a recorded step. Their impulses act through the Jacobian at the
/// end of the step. Their rows are Theta(q^{l+1}) = 0, not linearised, in the unit of length. The
/// rows are those of joint_constraints(), in the same order.
std::vector<JointRow> record_joints(StepRecorder& step);

}  // namespace perp
