// Problems of the time steps of a scene.
#pragma once

#include <functional>
#include <memory>
#include <perp/bench/simulation/simulation.hpp>
#include <perp/problems/scenes/scene.hpp>
#include <perp/problems/standard/problem.hpp>
#include <string>
#include <vector>

namespace perp {

/// Which problems are wanted.
struct SceneProblemsRequest {
  std::string formulation;                ///< empty: default_formulation(scene)
  std::string solver;                     ///< solves the steps of the simulation; empty: auto
  Driver driver = Driver::kTimeStepping;  ///< event-driven: segments and impacts count as steps
  double step = 0.0;                      ///< s; 0: the step of the scene
  double tolerance = 1e-10;
  int first = 1, last = 1;  ///< steps, both included
  /// As in SimulationRequest: one of perp's formulations, or one of the caller's own.
  std::function<std::unique_ptr<Formulation>(const std::string&)> make_formulation =
      perp::make_formulation;
  Observer* observer = nullptr;  ///< may end the simulation; nullptr: a noted signal does
};

/// Result of scene_problems().
struct SceneProblems {
  std::vector<Problem> problems;
  json::Object source;  ///< the `source` that all of them share
  /// the step that could not be solved, which ended the simulation; 0: none
  int unsolved_step = 0;
  std::string why;  ///< reason why that step could not be solved
};

/// Simulates up to the last step and returns the problems of the steps wanted, with relaxed tries.
/// Each has the start that the step before gives, its source and, if it was solved, the answer.
/// Names are SCENE-STEP-STAGE[-TRY]. Ends early if a step cannot be solved.
/// @throws std::invalid_argument as simulate()
SceneProblems scene_problems(const Scene& scene, const SceneProblemsRequest& request);

}  // namespace perp
