// Problems of the time steps of a scene.
#pragma once

#include <perp/bench/simulation/simulation.hpp>
#include <perp/problems/scenes/scene.hpp>
#include <perp/problems/standard/problem.hpp>
#include <string>
#include <vector>

namespace perp {

/// Which problems are wanted.
struct SceneProblemsRequest {
  std::string formulation;                ///< empty: default_formulation(scene)
  std::string solver;                     ///< brings the scene from step to step; empty: auto
  Driver driver = Driver::kTimeStepping;  ///< event-driven: segments and impacts count as steps
  double step = 0.0;                      ///< s; 0: the scene's
  double tolerance = 1e-10;
  int first = 1, last = 1;  ///< steps, both included
};

struct SceneProblems {
  std::vector<Problem> problems;
  json::Object source;    ///< what they have in common
  int unsolved_step = 0;  ///< where the simulation ended early; 0: nowhere
  std::string why;        ///< the step could not be solved
};

/// Simulates up to the last step and returns the problems of the steps wanted, relaxed tries
/// included, each with the start that the step before gives, where it comes from and, where it was
/// solved, the answer.
/// Names are SCENE-STEP-STAGE[-TRY]. Ends early where a step cannot be solved.
/// @throws std::invalid_argument as simulate()
SceneProblems scene_problems(const Scene& scene, const SceneProblemsRequest& request);

}  // namespace perp
