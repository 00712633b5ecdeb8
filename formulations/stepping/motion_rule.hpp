// How a step with geometry at its beginning moves bodies.
#pragma once

#include <memory>
#include <optional>
#include <perp/formulations/dynamics/motion.hpp>
#include <perp/formulations/formulation.hpp>
#include <perp/problems/settings/settings.hpp>
#include <string>
#include <variant>

namespace perp {

/// Makes the Motion of each step, perhaps after a problem of its own: that of motion without
/// contact.
class MotionRule {
 public:
  MotionRule() = default;
  MotionRule(const MotionRule&) = delete;
  MotionRule& operator=(const MotionRule&) = delete;
  virtual ~MotionRule() = default;

  virtual std::optional<std::string> refusal(const Scene&) const { return {}; }
  virtual void visit_settings(SettingVisitor&) {}
  /// ContactSystemChoices::gap_share.
  virtual double gap_share() const { return 1.0; }

  /// The scene lives until the step has ended.
  virtual std::variant<Stage, Motion> begin(const Scene& scene, const State& state, double h) = 0;
  /// After the answer of the stage that begin() returned.
  virtual Motion advance(const Answer& answer) = 0;
};

/// Velocities of the bodies, forces and M at the beginning: maximal_motion().
std::unique_ptr<MotionRule> make_maximal_motion_rule();

/// Rates of the joints of arms, and velocities of bodies that hang on none: reduced_motion().
std::unique_ptr<MotionRule> make_reduced_motion_rule();

}  // namespace perp
