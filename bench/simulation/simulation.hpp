// Simulation: scene + formulation + solver -> trajectory and records.
#pragma once

#include <functional>
#include <map>
#include <perp/formulations/formulation.hpp>
#include <perp/problems/scenes/scene.hpp>
#include <perp/solvers/router.hpp>
#include <string>
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
  bool certified = false;  ///< infeasible with a checked certificate
};

/// What an observer of a simulation sees after every step.
struct StepReport {
  int step = 0;
  double h = 0.0;
  const Scene* scene = nullptr;
  StepResult result;
  std::vector<StageReport> stages;        ///< relaxed tries included
  double kinetic = 0.0, potential = 0.0;  ///< at the end of the step, J
  bool solved = true;
};

struct SimulationRequest {
  std::string formulation = "stewart-trinkle";
  SolveRequest solve;                 ///< solver, tolerance, limits, settings
  double step = 0.0, duration = 0.0;  ///< 0: the scene's
  bool warm_start = true;   ///< answers of the last step as starts, unknowns matched by their keys
  bool keep_going = false;  ///< after a step that failed: its bodies move freely
  /// Sees every problem before it is solved and its answer after.
  std::function<void(int step, const Stage&, const VerifiedResult&)> on_stage;
  /// Sees every step; false stops the simulation.
  std::function<bool(const StepReport&)> on_step;
};

struct SimulationSummary {
  int steps = 0, failed_steps = 0, relaxed_steps = 0, stages = 0;
  long iterations = 0;
  double setup_time = 0.0, solve_time = 0.0, wall_time = 0.0;  ///< s
  bool stopped = false;  ///< by the observer or after a failed step
  State final_state;
  std::string message;  ///< of the failed step
};

/// Runs a scene. @throws std::invalid_argument: unknown formulation or solver, a scene that the
/// formulation refuses, shapes that cannot collide.
SimulationSummary simulate(const Scene& scene, const SimulationRequest& request);

}  // namespace perp
