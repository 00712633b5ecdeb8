// Strategies: what is done with solvers where one method alone may fail. Each is a file here and a
// line in strategy.cpp; docs/strategies.md describes them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <perp/solvers/router.hpp>
#include <perp/solvers/strategies/expression.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perp {

/// What an expression is asked to do.
struct Task {
  const Problem& problem;
  SolveRequest request;  ///< with the start that counts; its limit is what is left of all time
  Observer* observer = nullptr;
  /// Settings of the caller, for the method of this name; they come before those that stand there.
  std::string owner;
  std::map<std::string, double> names;  ///< for "{...}" in settings and options: n, k
  const Answer* best = nullptr;         ///< of the tries before, or nullptr
  bool after_cap = false;               ///< whether one of them ended at a cap of iterations
};

/// What has come of it.
struct Outcome {
  VerifiedResult result;
  bool skipped = false;  ///< nothing was done, for instance as there is no start to polish
  bool capped = false;   ///< a try ended at a cap of iterations that is not the caller's
};

using RunStrategy = std::function<Outcome(const SolverExpression&, const Task&)>;

struct StrategyEntry {
  std::string_view name;
  std::string_view usage;    ///< "first(SOLVER, ...)"
  std::string_view summary;  ///< one line
  int least_parts, most_parts;
  std::vector<std::string_view> options;
  RunStrategy run;
};

const std::vector<StrategyEntry>& strategies();

/// A method or a strategy. @throws std::invalid_argument as solve_verified
Outcome run_expression(const SolverExpression& expression, const Task& task);

/// Refuses unknown strategies, methods, settings and options before anything is solved.
/// @throws std::invalid_argument
void check_expression(
    const SolverExpression& expression,
    const std::function<std::unique_ptr<Solver>(std::string_view)>& make = make_solver);

/// The same of what SolveRequest::solver takes: auto, the name of a method, or an expression.
void check_solver(
    const std::string& solver,
    const std::function<std::unique_ptr<Solver>(std::string_view)>& make = make_solver);

/// Option of a strategy with its numbers, or nothing.
std::optional<std::string> option_of(const SolverExpression& expression, std::string_view key,
                                     const Task& task);
/// The same as a number. @throws std::invalid_argument if it is none or not above 0
std::optional<double> number_of(const SolverExpression& expression, std::string_view key,
                                const Task& task);

// The strategies.
Outcome run_first(const SolverExpression& expression, const Task& task);
Outcome run_best(const SolverExpression& expression, const Task& task);
Outcome run_repeat(const SolverExpression& expression, const Task& task);
Outcome run_try(const SolverExpression& expression, const Task& task);
Outcome run_polish(const SolverExpression& expression, const Task& task);
Outcome run_proximal(const SolverExpression& expression, const Task& task);
Outcome run_reduce(const SolverExpression& expression, const Task& task);
Outcome run_without(const SolverExpression& expression, const Task& task);

}  // namespace perp
