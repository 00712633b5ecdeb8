// Where a problem of a simulation comes from.
#pragma once

#include <perp/bench/simulation/simulation.hpp>
#include <perp/problems/json/json.hpp>
#include <string>

namespace perp {

/// What made the problems of a run, beside what each of them tells itself.
struct ProblemOrigin {
  std::string formulation;  ///< with its options
  std::string solver;       ///< that brought the scene from step to step
  Driver driver = Driver::kTimeStepping;
};

/// The source of a problem of a step: what the formulation said of it (stage, time, h, scales) with
/// scene, parameters, formulation and its options, driver, solver and step.
json::Value source_of_step(const Problem& problem, const Scene& scene, const ProblemOrigin& origin,
                           int step);

/// What all problems of a run have in common.
json::Object source_of_run(const Scene& scene, const ProblemOrigin& origin);

/// The answer as the problem's known solution, with the dual of a conic_qp, where it is verified.
void keep_solution(Problem& problem, const VerifiedResult& result);

}  // namespace perp
