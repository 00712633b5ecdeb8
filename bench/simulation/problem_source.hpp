// The source of a problem of a simulation.
#pragma once

#include <perp/bench/simulation/simulation.hpp>
#include <perp/problems/json/json.hpp>
#include <string>

namespace perp {

/// The part of the source that all problems of a run share.
struct ProblemOrigin {
  std::string formulation;  ///< with its options
  std::string solver;       ///< the solver that solved the steps
  Driver driver = Driver::kTimeStepping;
};

/// The source of a problem of a step: the entries of the formulation (stage, time, h, scales)
/// together with scene, parameters, formulation and its options, driver, solver and step.
json::Value source_of_step(const Problem& problem, const Scene& scene, const ProblemOrigin& origin,
                           int step);

/// The source that all problems of a run have in common.
json::Object source_of_run(const Scene& scene, const ProblemOrigin& origin);

/// Stores the answer as the problem's known solution, with the dual of a conic_qp, if it is
/// verified.
void keep_solution(Problem& problem, const VerifiedResult& result);

}  // namespace perp
