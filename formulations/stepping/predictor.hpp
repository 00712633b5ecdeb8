// A simpler step, whose end is a prediction of that of a step with geometry at its end.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <perp/formulations/dynamics/step_recorder.hpp>
#include <perp/formulations/formulation.hpp>
#include <utility>

namespace perp {

/// Takes a step of another formulation, whose contacts have many points and the geometry of the
/// beginning, and sums its impulses up by pairs of bodies: normal impulse, force, centre of
/// pressure. The step that follows starts from them.
class Predictor {
 public:
  explicit Predictor(std::unique_ptr<Formulation> formulation)
      : formulation_(std::move(formulation)) {}

  /// As Formulation::begin(): its first stage, or its end; nothing if it cannot find the contacts.
  std::optional<StageOrResult> begin(const Scene& scene, const State& state, double h);
  /// As Formulation::advance(): its next stage, or its end.
  StageOrResult advance(const Answer& answer);
  /// Whether a stage of it is being solved.
  bool at_work() const { return at_work_; }

  /// Takes its end as the prediction of a step that begins at `start`.
  void take(const State& start, const StepResult& end);
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
  std::unique_ptr<Formulation> formulation_;
  bool at_work_ = false;
  std::uint64_t predictions_ = 0;
  std::map<std::pair<int, int>, PredictedContact> contacts_;
};

}  // namespace perp
