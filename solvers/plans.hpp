// The plans that "auto" runs, chosen by kind and structure of the problem.
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

/// A solver that auto chooses for some problems.
struct Plan {
  std::string_view name;
  std::string_view when;  ///< which problems it is for
  std::string text;       ///< an expression (docs/reference/strategies.md)
};

/// All plans; docs/methods/auto.md has the measurements behind them.
const std::vector<Plan>& plans();

/// The expression of one of plans(), which is parsed when it is first asked for: most programs need
/// one or two of them. Threads may ask at the same time.
const SolverExpression& solver_of(const Plan& plan);

/// The plan for a problem. @param started whether a start is given @param give_up_early as
/// SolveRequest::give_up_early
const Plan& choose_plan(const Problem& problem, bool started, bool give_up_early = false);

/// Whether a solver runs plans: it is auto, or has it as a part.
bool runs_plans(const SolverExpression& solver);

/// Makes a strategy from a plan, for instance from the plan without one of its parts. Parts are
/// built on demand, so the strategy must keep an expression that is not the plan's.
using BuildPlan =
    std::function<std::unique_ptr<Strategy>(const SolverExpression& plan, const Workshop&)>;

/// A strategy that solves each problem by the plan chosen for it.
/// @param build nullptr: Workshop::build
std::unique_ptr<Strategy> make_auto(const Workshop& workshop, BuildPlan build = nullptr);

}  // namespace perp
