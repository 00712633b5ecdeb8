// A share of the time, a cap of iterations, another start.
#include <fmt/format.h>
#include <charconv>
#include <cmath>
#include <perp/problems/standard/random.hpp>
#include <perp/solvers/strategies/strategy.hpp>
#include <stdexcept>

namespace perp {

namespace {

// Half of the unknowns at their lower bounds (if they have one), the others off them.
Vector random_start(const Problem& problem, std::uint64_t seed) {
  Random random(seed);
  Vector start = Vector::Zero(problem.size());
  for (int i = 0; i < problem.size(); ++i) {
    double low = 0.0, high = 2.0;
    if (const auto* mlcp = std::get_if<Mlcp>(&problem.data)) {
      low = mlcp->lower[i];
      high = mlcp->upper[i];
    } else if (const auto* mcp = std::get_if<Mcp>(&problem.data)) {
      low = mcp->lower[i];
      high = mcp->upper[i];
    }
    if (std::isinf(low)) low = std::isinf(high) ? -1.0 : high - 2.0;
    if (std::isinf(high)) high = low + 2.0;
    start[i] = random.uniform() < 0.5 ? low : 0.5 * (low + high);
  }
  return start;
}

// Sets the start that is asked for. @return whether it is one of the strategy's own
bool change_start(const std::string& from, Task& task) {
  constexpr std::string_view kRandom = "random:";
  if (from == "best") {
    const bool usable =
        task.best && task.best->z.size() == task.problem.size() && task.best->z.allFinite();
    if (usable) task.request.start = task.best->z;
    return usable;
  }
  if (from == "zero") {
    task.request.start.reset();
    task.request.start_dual.reset();
    return true;
  }
  std::uint64_t seed = 0;
  const char* end = from.data() + from.size();
  if (!from.starts_with(kRandom) ||
      std::from_chars(from.data() + kRandom.size(), end, seed).ptr != end || seed == 0)
    throw std::invalid_argument(fmt::format("try: from={} is not best, zero or random:SEED", from));
  task.request.start = random_start(task.problem, seed);
  return true;
}

}  // namespace

Outcome run_try(const SolverExpression& e, const Task& task) {
  if (const auto after = option_of(e, "after", task)) {
    if (*after != "cap") throw std::invalid_argument("try: after is cap");
    if (!task.after_cap) return {{}, true, false};
  }
  Task one = task;
  int& caller = one.request.limits.max_iterations;
  const int cap = static_cast<int>(number_of(e, "cap", task).value_or(0.0));
  const bool capped = cap > 0 && !(caller > 0 && caller <= cap);
  if (capped) caller = cap;
  one.request.limits.time_limit *= number_of(e, "share", task).value_or(1.0);
  const auto from = option_of(e, "from", task);
  const bool own_start = from && change_start(*from, one);
  Outcome out = run_expression(e.parts.front(), one);
  if (out.skipped) return out;
  out.capped |= capped && out.result.status == Status::kIterationLimit;
  if (own_start) out.result.start = "nothing";  // no start of the caller's
  if (out.result.route.empty()) return out;
  RouteStep& step = out.result.route.back();
  if (own_start && *from != "best") step.solver += fmt::format(" from {}", *from);
  if (capped)
    step.settings += fmt::format("{}max_iterations={}", step.settings.empty() ? "" : " ", cap);
  return out;
}

}  // namespace perp
