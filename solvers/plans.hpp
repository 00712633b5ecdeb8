// What "auto" runs: named plans, by kind and structure of the problem.
#pragma once

#include <perp/problems/standard/problem.hpp>
#include <perp/solvers/strategies/expression.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perp {

struct SolveRequest;
struct Task;
struct Outcome;

struct Plan {
  std::string_view name;
  std::string_view when;    ///< which problems it is for
  std::string text;         ///< in the grammar of solvers
  SolverExpression solver;  ///< the same, parsed
};

/// All plans; docs/auto.md has the measurements behind them.
const std::vector<Plan>& plans();

/// What a plan depends on beside the problem.
struct Given {
  bool settings = false;  ///< those of owner_of_settings(), which the plan then begins with
  bool start = false;
};
Given given_in(const SolveRequest& request);

/// The plan for a problem.
const Plan& choose_plan(const Problem& problem, const Given& given);

/// The method of the plan that settings given to auto belong to.
std::string_view owner_of_settings(const Problem& problem);

/// Solves by the plan that is chosen.
Outcome run_plan(const Task& task);

}  // namespace perp
