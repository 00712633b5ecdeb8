// How bodies move in a step with geometry at its beginning.
#pragma once

#include <memory>
#include <optional>
#include <perp/formulations/dynamics/motion.hpp>
#include <perp/formulations/formulation.hpp>
#include <perp/problems/settings/settings.hpp>
#include <string>
#include <variant>

namespace perp {

/// Makes the Motion of each step. It may first pose a problem of its own: the motion without
/// contact.
class MotionRule {
 public:
  MotionRule() = default;
  MotionRule(const MotionRule&) = delete;
  MotionRule& operator=(const MotionRule&) = delete;
  virtual ~MotionRule() = default;

  /// The reason why it cannot treat a scene, or nothing.
  virtual std::optional<std::string> refusal(const Scene&) const { return {}; }
  virtual void visit_settings(SettingVisitor&) {}
  /// ContactSystemChoices::gap_share.
  virtual double gap_share() const { return 1.0; }
  /// ContactSystemChoices::joint_share.
  virtual double joint_share() const { return 1.0; }

  /// Begins a step of length h (s). The scene exists until the step has ended.
  virtual std::variant<Stage, Motion> begin(const Scene& scene, const State& state, double h) = 0;
  /// The motion from the answer to the stage that begin() returned.
  virtual Motion advance(const Answer& answer) = 0;
};

/// The rule of maximal_motion(): velocities of the bodies, with forces and M at the beginning of
/// the step.
std::unique_ptr<MotionRule> make_maximal_motion_rule();

/// The rule of reduced_motion(): rates of the joints of arms, and velocities of bodies without
/// joints.
std::unique_ptr<MotionRule> make_reduced_motion_rule();

}  // namespace perp
