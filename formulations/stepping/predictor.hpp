// A simpler step, whose end is a prediction of that of a step with geometry at its end.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <perp/formulations/dynamics/step_recorder.hpp>
#include <perp/formulations/formulation.hpp>
#include <utility>
#include <vector>

namespace perp {

/// Takes a step of another formulation, whose contacts have many points and the geometry of the
/// beginning. It sums the impulses up by pairs of bodies: normal impulse, force, centre of
/// pressure. Then it takes the step again, up to 15 times, with the geometry and the centres of the
/// end that it has found: the friction of two bodies that touch at several points acts at their
/// centre of pressure only, as in the step that follows. That step starts from the sums.
class Predictor {
 public:
  /// @param first a step of position level @param again one of velocity level, to which the gaps
  /// of the predicted end are given (HeldContacts)
  Predictor(std::unique_ptr<Formulation> first, std::unique_ptr<Formulation> again)
      : first_step_(std::move(first)), repeated_step_(std::move(again)) {}

  /// As Formulation::begin(): its first stage, or its end; nothing if it cannot find the contacts.
  std::optional<StageOrResult> begin(const Scene& scene, const State& state, double h);
  /// As Formulation::advance(): its next stage, or its end.
  StageOrResult advance(const Answer& answer);
  /// Whether a stage of it is being solved.
  bool at_work() const { return at_work_; }
  /// Ends the work. @return the last end that was found
  std::optional<StepResult> stop();

  /// Takes its end as the prediction of the step.
  void take(const StepResult& end);
  /// Whether the step has a prediction in which something is pressed.
  bool has_spoken() const { return !contacts_.empty(); }
  /// What it says of a pair of bodies; nullptr if it does not press them together.
  const PredictedContact* of(const std::pair<int, int>& pair) const;
  /// Takes the prediction of this step back.
  void forget();
  /// Makes ready for a step.
  void reset();

  /// The key of an unknown for a step: each step with a prediction has keys of its own, so that
  /// nothing else than the prediction is its start.
  std::uint64_t marked(std::uint64_t key) const;

 private:
  using Pairs = std::map<std::pair<int, int>, PredictedContact>;

  StageOrResult go_on(StageOrResult next);
  bool look(const StepResult& end);
  Pairs pairs(const StepResult& end) const;
  std::vector<HeldContact> centred(std::vector<ContactPoint3> found, const State& end) const;

  std::unique_ptr<Formulation> first_step_, repeated_step_;
  Formulation* now_ = nullptr;
  const Scene* scene_ = nullptr;
  State start_, geometry_;  // the beginning, and the state whose contacts the step has
  double h_ = 0.0;
  std::optional<StepResult> end_;  // the last one, of a step with the contacts of end_geometry_
  State end_geometry_;
  bool at_work_ = false;
  std::uint64_t predictions_ = 0;
  Pairs centres_;   // those of the next round
  Pairs contacts_;  // what it says
  int rounds_ = 0;  // taken again
};

}  // namespace perp
