// What a part of a solver is worth: the solver without it.
#include <fmt/format.h>
#include <perp/solvers/plans.hpp>
#include <perp/solvers/strategies/strategy.hpp>
#include <stdexcept>

namespace perp {

Outcome run_without(const SolverExpression& e, const Task& task) {
  const auto name = option_of(e, "part", task);
  if (!name) throw std::invalid_argument("without: option part is missing");
  SolverExpression rest = e.parts.front();
  if (!rest.strategy && rest.name == "auto")
    rest = choose_plan(task.problem, given_in(task.request)).solver;
  if (remove_named(rest, *name)) return run_expression(rest, task);
  Outcome out;
  out.result.message = fmt::format("nothing is left without {}", *name);
  out.result.route.push_back({"without", Status::kUnsupported, Status::kUnsupported, 0, 0.0,
                              out.result.message, "", Residuals::kNone});
  return out;
}

}  // namespace perp
