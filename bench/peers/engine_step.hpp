// Time steps of other engines as problems of perp, with the engines' own answers.
#pragma once

#include <perp/formulations/dynamics/state.hpp>
#include <perp/problems/standard/problem.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perp {

/// A problem that a step poses, and what the engine holds to be its solution.
struct EngineProblem {
  std::string law;  ///< "coulomb": exact friction of rigid bodies; "own": what the engine solves
  Problem problem;
  Vector z;  ///< the engine's answer, in the unknown of the kind
};

/// What an engine's program tells of a step.
struct EngineStep {
  std::string engine;  ///< with its version: "mujoco 2.2.2"
  std::string model;   ///< what it simulates
  int step = 0;        ///< counted from 1
  double time = 0.0;   ///< s, at the beginning of the step
  double h = 0.0;      ///< s
  std::vector<EngineProblem> problems;
  std::vector<std::pair<std::string, std::string>> refused;  ///< laws that do not fit, and why
};

/// The step as one line of JSON.
std::string engine_step_to_text(const EngineStep& step);
/// @param program named in messages @throws InputError
EngineStep engine_step_from_text(std::string_view line, const std::string& program);

/// A contact of two rigid bodies as an engine has resolved it; SI, world frame.
struct EngineContact {
  int a = 0, b = 0;        ///< bodies of the scene
  Vector3d point, normal;  ///< the normal points into a
  double gap = 0.0;        ///< negative if the bodies overlap
  Vector3d impulse;        ///< on a, N s
};

/// The step of an engine on a scene as exact Coulomb friction in J and M: velocities of free motion
/// by perp (free_velocity), and of every open contact its gap over h in q, so that it may close.
/// The frame of a contact is (n, t1, t2). @param state at the beginning of the step
EngineProblem coulomb_problem(const Scene& scene, const State& state, double h,
                              const std::vector<EngineContact>& contacts);

}  // namespace perp
