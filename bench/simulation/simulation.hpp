// Simulation: scene + formulation + solver -> trajectory and records.
#pragma once

#include <functional>
#include <map>
#include <perp/formulations/formulation.hpp>
#include <perp/formulations/registry.hpp>
#include <perp/problems/scenes/scene.hpp>
#include <perp/solvers/router.hpp>
#include <string>
#include <utility>
#include <vector>

namespace perp {

/// What became of one stage of a step.
struct StageReport {
  int step = 0;
  double time = 0.0;  ///< at the beginning of the step, s
  std::string stage, solver;
  Status status = Status::kUnsupported;
  double natural = 0.0;  ///< the verifier's measure
  int iterations = 0;
  double setup_time = 0.0, solve_time = 0.0;  ///< s
  int unknowns = 0, contacts = 0;
  std::string certificate = "none";  ///< farkas or ray where one was found and checked
};

/// What an observer of a simulation sees after every step.
struct StepReport {
  int step = 0;
  double h = 0.0;
  const Scene* scene = nullptr;
  StepResult result;
  std::vector<StageReport> stages;                              ///< relaxed tries included
  std::vector<std::pair<Stage, VerifiedResult>> solved_stages;  ///< for on_stage; empty without it
  double kinetic = 0.0, potential = 0.0;                        ///< at the end of the step, J
  bool solved = true;
  bool cut_short = false;  ///< a stage was not solved, and the formulation did without
};

/// How time goes on.
enum class Driver {
  kTimeStepping,  ///< steps of length h; impacts fall on their ends
  kEventDriven    ///< steps of at most h that end where bodies meet; impacts between them
};

/// "time-stepping" or "event-driven".
std::string to_string(Driver driver);
/// @throws std::invalid_argument
Driver driver_from(const std::string& name);

struct SimulationRequest {
  Driver driver = Driver::kTimeStepping;
  std::string formulation;  ///< empty: default_formulation(scene)
  /// Makes the formulation from its text: one of perp's, or one of the caller's own.
  std::function<std::unique_ptr<Formulation>(const std::string&)> make_formulation =
      perp::make_formulation;
  SolveRequest solve;                 ///< solver, tolerance, limits, settings
  double step = 0.0, duration = 0.0;  ///< 0: the scene's
  /// Lengths of steps that are taken in turn, over and over, s; not with the event-driven driver.
  /// Empty: all are `step` long. The last one is where the duration ends or is passed by less than
  /// half of it.
  std::vector<double> pattern;
  bool warm_start = true;   ///< answers of the last step as starts, unknowns matched by their keys
  int max_events = 1000;    ///< event-driven: impacts within one h; more end the simulation
  bool keep_going = false;  ///< after a step that failed: its bodies move freely
  /// May end a solve as interrupted; the step is then given up, and the simulation stops before it.
  Observer* observer = nullptr;
  /// Sees every problem of a step that is kept, with its start, and its answer; before on_step.
  std::function<void(int step, const Stage&, const VerifiedResult&)> on_stage;
  /// Sees every step; false stops the simulation.
  std::function<bool(const StepReport&)> on_step;
};

struct SimulationSummary {
  int events = 0;  ///< impacts of an event-driven run
  int steps = 0, failed_steps = 0, relaxed_steps = 0, uncertified_steps = 0, stages = 0;
  int cut_short_steps = 0;  ///< of the solved ones: a stage was given up (Formulation::settle)
  long iterations = 0;
  double setup_time = 0.0, solve_time = 0.0, wall_time = 0.0;  ///< s
  double peak_memory_mb = 0.0;                                 ///< of the process, so far
  bool stopped = false;  ///< by the observer or after a failed step
  State final_state;
  std::string message;  ///< of the failed step
};

/// Runs a scene. Event-driven: the formulation must be of velocity level (anitescu-potra or
/// max-dissipation-impulse). A segment of free or resting motion (SegmentContacts) is tried over
/// what is left of h; where a contact that was open at its beginning has closed, its length is that
/// root of the smallest gap, to 1e-9 m. Then every contact within 1e-6 m takes part in an impact, a
/// stage with h = 0. Against Zeno sequences segments are no shorter than h/1000 (what closes within
/// is 1e-6 m deep at most at the speeds where that matters), and approaches slower than the
/// formulation's rest speed do not bounce. More than max_events impacts within one h end the run as
/// failed. Free motion is exact for constant forces. @throws std::invalid_argument: unknown
/// formulation or solver, a scene that the formulation refuses, shapes that cannot collide, steps
/// that are not between 1e-12 and 1e9 s or too many.
SimulationSummary simulate(const Scene& scene, const SimulationRequest& request);

}  // namespace perp
