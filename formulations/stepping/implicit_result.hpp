// The end of an implicit step, read from an answer.
#pragma once

#include <perp/formulations/dynamics/recorded_joints.hpp>
#include <perp/formulations/dynamics/step_recorder.hpp>
#include <perp/formulations/formulation.hpp>
#include <perp/formulations/gap/implicit/implicit_gap.hpp>
#include <perp/formulations/law/ellipsoid/ellipsoid.hpp>
#include <string>
#include <vector>

namespace perp {

/// The names of StepResult::columns: `law_gap`, `law_cone`, `law_slip` (make_implicit_step), and
/// those of the gap.
std::vector<std::string> implicit_columns(const ImplicitGap& gap);

/// State, contacts with their impulses, joint impulses, columns and the error of the balance of
/// momentum, v - v_free = M^-1 (sum of all wrenches), relative to the sum of its terms.
/// @param input of the step @param pairs, joints as they were recorded for the step
/// @param velocity generalised velocity at the end, SI units
/// @param z the answer, in units of StepScales
StepResult implicit_result(const StepInput& input, const ImplicitGap& gap, FrictionForm friction,
                           const std::vector<RecordedPair>& pairs,
                           const std::vector<JointRow>& joints, const Vector& velocity,
                           const Vector& z);

/// The end of a step without contacts and joints.
StepResult free_result(const StepInput& input);

}  // namespace perp
