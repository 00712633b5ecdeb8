// Time steps of other engines as problems of perp, with the engines' own answers.
#pragma once

#include <perp/formulations/dynamics/state.hpp>
#include <perp/problems/standard/problem.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perp {

/// The problem of a step, and the engine's solution of it.
struct EngineProblem {
  std::string law;  ///< "coulomb": exact friction of rigid bodies; "own": the problem that the
                    ///< engine solves
  Problem problem;
  Vector z;  ///< the engine's answer, of the size of the problem
};

/// What an engine's program reports for a step.
struct EngineStep {
  std::string engine;  ///< name and version: "mujoco 2.2.2"
  std::string model;   ///< name of the model or scene
  int step = 0;        ///< counted from 1
  double time = 0.0;   ///< s, at the beginning of the step
  double h = 0.0;      ///< s
  std::vector<EngineProblem> problems;
  /// laws that do not apply, with the reasons
  std::vector<std::pair<std::string, std::string>> refused;
};

/// The step as one line of JSON.
std::string engine_step_to_text(const EngineStep& step);
/// Reads such a line. @param program name for messages @throws InputError if the line is wrong
EngineStep engine_step_from_text(std::string_view line, const std::string& program);

/// A contact of two rigid bodies with the engine's impulse. SI units, world frame.
struct EngineContact {
  int a = 0, b = 0;        ///< indices of bodies in the scene
  Vector3d point, normal;  ///< the normal points into a
  double gap = 0.0;        ///< m; negative if the bodies overlap
  Vector3d impulse;        ///< on a, N s
};

/// The step of an engine on a scene as a friction_contact with J and M, with exact Coulomb
/// friction. The free velocities come from perp (free_velocity). For every open contact q contains
/// gap / h, so that the contact may close. The frame of a contact is (n, t1, t2).
/// @param state at the beginning of the step @param h s
EngineProblem coulomb_problem(const Scene& scene, const State& state, double h,
                              const std::vector<EngineContact>& contacts);

}  // namespace perp
