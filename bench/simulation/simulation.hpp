// Simulates a scene with a formulation and a solver.
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

/// The result of one stage of a step.
struct StageReport {
  int step = 0;
  double time = 0.0;  ///< at the beginning of the step, s
  std::string stage, solver;
  Status status = Status::kUnsupported;
  double natural = 0.0;  ///< the verifier's measure
  int iterations = 0;
  double setup_time = 0.0, solve_time = 0.0;  ///< s
  int unknowns = 0, contacts = 0;
  std::string certificate = "none";  ///< farkas or ray if one was found and checked, or
                                     ///< excluded: no impulses below a huge radius solve it
};

/// The data for on_step after every step.
struct StepReport {
  int step = 0;
  double h = 0.0;  ///< s
  const Scene* scene = nullptr;
  StepResult result;
  std::vector<StageReport> stages;  ///< with relaxed tries, and those of a step that was halved
  std::vector<std::pair<Stage, VerifiedResult>> solved_stages;  ///< for on_stage; empty without it
  double kinetic = 0.0, potential = 0.0;                        ///< at the end of the step, J
  bool solved = true;
  bool cut_short = false;    ///< a stage was not solved, but the formulation could do without it
  bool approximate = false;  ///< not solved, and made with the point that its solve reached
};

/// How the simulation advances in time.
enum class Driver {
  kTimeStepping,  ///< steps of length h; impacts take place at their ends
  kEventDriven    ///< segments of at most h that end when bodies meet; impacts between them
};

/// "time-stepping" or "event-driven".
std::string to_string(Driver driver);
/// Reads these names. @throws std::invalid_argument for any other name
Driver driver_from(const std::string& name);

/// What to simulate, and how.
struct SimulationRequest {
  Driver driver = Driver::kTimeStepping;
  std::string formulation;  ///< empty: default_formulation(scene)
  /// Makes the formulation from its text. By default these are perp's formulations.
  std::function<std::unique_ptr<Formulation>(const std::string&)> make_formulation =
      perp::make_formulation;
  SolveRequest solve;                 ///< solver, tolerance, limits, settings
  double step = 0.0, duration = 0.0;  ///< s; 0: those of the scene
  /// Lengths of steps, s, which are used in turn again and again; not with the event-driven driver.
  /// Empty: all steps have the length `step`. The last step is that which ends nearest to the
  /// duration.
  std::vector<double> pattern;
  /// start solves from the answers of the last step, matched by keys of unknowns
  bool warm_start = true;
  /// A step without an answer is made as two steps of half the length, and these likewise, so many
  /// times at most; then every effort goes into the shortest one. Not if a solve reached its time
  /// limit or with keep_going; not for the event-driven driver. -1: Capabilities::halvings
  int halvings = -1;
  int max_events = 1000;  ///< event-driven: most impacts within one h; more end the simulation
  /// Go on after a step that failed. It is made with the point that its solve reached if this adds
  /// no energy; else its bodies move freely.
  bool keep_going = false;
  /// May end a solve as interrupted. Then the step is dropped and the simulation stops before it.
  Observer* observer = nullptr;
  /// Called before on_step for every problem of a step that is kept, with its start and its answer.
  std::function<void(int step, const Stage&, const VerifiedResult&)> on_stage;
  /// The problems that on_stage is called for; empty: all. No copies are made of others.
  std::function<bool(int step, Status status)> stages;
  /// Whether verdicts for on_stage hold all they can: Verdict::vacuous, and the residuals that
  /// nothing is judged by. The files of SimulationRecorder need neither.
  bool full_verdicts = true;
  /// Called after every step; if it returns false, the simulation stops.
  std::function<bool(const StepReport&)> on_step;
};

/// Result of a simulation; numbers are totals.
struct SimulationSummary {
  int events = 0;  ///< impacts of an event-driven run
  int steps = 0, failed_steps = 0, relaxed_steps = 0, uncertified_steps = 0, stages = 0;
  int halved_steps = 0;       ///< made in two or more parts, each of which counts as a step
  int cut_short_steps = 0;    ///< solved steps with a stage that was given up (Formulation::settle)
  int approximate_steps = 0;  ///< failed steps made with the points that their solves reached
  long iterations = 0;
  double setup_time = 0.0, solve_time = 0.0, wall_time = 0.0;  ///< s
  double peak_memory_mb = 0.0;                                 ///< of the process since its start
  bool stopped = false;  ///< by the observer or after a failed step
  State final_state;
  std::string message;  ///< about the failed step
};

/// Runs a scene. With the event-driven driver the formulation must be of velocity level
/// (anitescu-potra, max-dissipation-impulse or GAP+LAW+velocity-level). A segment of free or
/// resting motion (SegmentContacts) is tried over the rest of h. If a contact that was open at its
/// beginning has closed, the segment ends at the root of the smallest gap, found to 1e-9 m. Then
/// every contact within 1e-6 m takes part in an impact, which is a stage with h = 0. Two rules act
/// against Zeno sequences. Segments are not shorter than h/1000; a contact that closes within one
/// overlaps by 1e-6 m at most, at the speeds at which Zeno sequences matter. Approaches slower than
/// the formulation's rest speed do not bounce. More than max_events impacts within one h end the
/// run as failed. Free motion is exact for constant forces.
/// @throws std::invalid_argument if the formulation or solver is unknown, the formulation refuses
/// the scene, shapes cannot collide, or steps are not between 1e-12 and 1e9 s or too many
SimulationSummary simulate(const Scene& scene, const SimulationRequest& request);

/// @throws std::invalid_argument if simulate() would refuse the request before its first step
void expect_possible(const Scene& scene, const SimulationRequest& request);

}  // namespace perp
