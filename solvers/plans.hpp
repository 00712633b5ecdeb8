// What "auto" runs: named plans, by kind and structure of the problem.
#pragma once

#include <functional>
#include <memory>
#include <perp/problems/standard/problem.hpp>
#include <perp/solvers/strategies/expression.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perp {

class Strategy;
struct Workshop;

struct Plan {
  std::string_view name;
  std::string_view when;    ///< which problems it is for
  std::string text;         ///< in the grammar of solvers
  SolverExpression solver;  ///< the same, parsed
};

/// All plans; docs/methods/auto.md has the measurements behind them.
const std::vector<Plan>& plans();

/// The plan for a problem. @param started whether there is a start
const Plan& choose_plan(const Problem& problem, bool started);

/// Makes a solver of a plan, for instance of the plan without one of its parts.
using BuildPlan =
    std::function<std::unique_ptr<Strategy>(const SolverExpression& plan, const Workshop&)>;

/// Solves each problem by the plan that is chosen for it.
/// @param build nullptr: Workshop::build
std::unique_ptr<Strategy> make_auto(const Workshop& workshop, BuildPlan build = nullptr);

}  // namespace perp
