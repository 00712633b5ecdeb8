#include <perp/solvers/router.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <perp/problems/expression/deadline.hpp>
#include <perp/solvers/plans.hpp>
#include <perp/solvers/strategies/strategy.hpp>
#include <perp/solvers/verified_solve.hpp>
#include <stdexcept>

namespace perp {

namespace {

// The time limit passed before the first try; the start, or zero, is all there is.
VerifiedResult too_late(const Problem& problem, const SolveRequest& request) {
  VerifiedResult result;
  result.answer.z = request.start.value_or(Vector::Zero(problem.size()));
  result.verdict = verify(problem.data, result.answer, verified_at(request));
  result.claimed = Status::kTimeLimit;
  result.status = judge(result.claimed, result.verdict);
  result.message = "the time limit passed before the Jacobian was derived";
  result.route.push_back(
      {"auto", result.status, result.claimed, 0, 0.0, result.message, "", result.verdict.measure});
  return result;
}

// @param request with the start that counts
VerifiedResult solve_by_strategy(const Problem& problem, const SolveRequest& request,
                                 Observer* observer) {
  const SolverExpression solver = parse_solver(request.solver);
  check_expression(solver, request.make);
  const std::map<std::string, double> names{
      {"n", std::max(problem.size(), 1)},
      {"contacts", static_cast<double>(problem.contacts.size())}};
  Outcome out = run_expression(solver, {problem, request, observer, "", names});
  if (out.skipped)
    return unsupported(request.solver, "there was nothing to do: no start, no earlier try", 0.0);
  return std::move(out.result);
}

// A graph is compiled once, not in every try. @param request with the start that counts
VerifiedResult solve_compiled(const Problem& problem, const SolveRequest& request,
                              Observer* observer) {
  const auto* mcp = std::get_if<Mcp>(&problem.data);
  if (!mcp || !mcp->graph || mcp->compiled) return solve_by_strategy(problem, request, observer);
  const auto started = VerifiedClock::now();
  validate(problem);
  Problem compiled = problem;
  try {
    compile(std::get<Mcp>(compiled.data), Deadline(request.limits.time_limit));
  } catch (const DeadlinePassed&) {
    VerifiedResult result = too_late(problem, request);
    charge_setup(result, seconds_since(started));
    return result;
  }
  const double spent = seconds_since(started);
  SolveRequest rest = request;
  if (rest.limits.time_limit > 0)
    rest.limits.time_limit = std::max(rest.limits.time_limit - spent, kLeastLimit);
  VerifiedResult result = solve_by_strategy(compiled, rest, observer);
  result.setup_time += spent;
  return result;
}

// @param request with the start that counts
VerifiedResult solve_from(const Problem& problem, const SolveRequest& request, Observer* observer) {
  if (request.start && request.start->size() != problem.size()) {
    throw std::invalid_argument(
        fmt::format("start: length is {}, expected {}", request.start->size(), problem.size()));
  }
  for (const auto& [key, value] : request.settings) {
    if (key == "reduction") return solve_on_reduction(problem, request, value, observer);
  }
  if (request.solver == "auto" || is_expression(request.solver))
    return solve_compiled(problem, request, observer);
  return solve_by_name(problem, request, request.solver, request.settings, observer);
}

}  // namespace

VerifiedResult solve_verified(const Problem& problem, const SolveRequest& request,
                              Observer* observer) {
  const bool stored = !request.start && request.stored_start && problem.start;
  SolveRequest started = request;
  if (stored) started.start = problem.start;
  VerifiedResult result = solve_from(problem, started, observer);
  if (stored && result.start == "given") result.start = "stored";
  see_if_vacuous(problem, result);
  return result;
}

}  // namespace perp
