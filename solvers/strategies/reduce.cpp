// Another statement of the problem.
#include <perp/solvers/strategies/strategy.hpp>
#include <perp/solvers/verified_solve.hpp>
#include <stdexcept>

namespace perp {

Outcome run_reduce(const SolverExpression& e, const Task& task) {
  const auto to = option_of(e, "to", task);
  if (!to) throw std::invalid_argument("reduce: option to is missing");
  SolveRequest request = task.request;
  request.solver = to_text(e.parts.front());
  request.settings.clear();
  return {solve_on_reduction(task.problem, request, *to, task.observer)};
}

}  // namespace perp
