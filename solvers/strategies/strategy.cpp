#include <perp/solvers/strategies/strategy.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <perp/solvers/plans.hpp>
#include <perp/solvers/verified_solve.hpp>
#include <stdexcept>

namespace perp {

namespace {

constexpr int kAny = 1000;
constexpr std::string_view kAuto = "auto", kStart = "start";

const StrategyEntry* find_strategy(std::string_view name) {
  const auto& all = strategies();
  const auto it =
      std::find_if(all.begin(), all.end(), [&](const StrategyEntry& s) { return s.name == name; });
  return it == all.end() ? nullptr : &*it;
}

// The start itself, as an answer that nobody has worked for.
Outcome run_start(const Task& task) {
  Outcome out;
  out.skipped = !task.request.start;
  if (out.skipped) return out;
  validate(task.problem);
  out.result.answer.z = *task.request.start;
  out.result.start = "given";
  return out;
}

Outcome run_method(const SolverExpression& e, const Task& task) {
  std::vector<std::pair<std::string, std::string>> settings;
  if (e.name == task.owner) settings = task.request.settings;
  for (const auto& [key, value] : e.settings)
    settings.emplace_back(key, with_numbers(value, task.names));
  return {solve_by_name(task.problem, task.request, e.name, settings, task.observer)};
}

}  // namespace

const std::vector<StrategyEntry>& strategies() {
  // To add a strategy, add its line here.
  static const std::vector<StrategyEntry> list = {
      {"first",
       "first(SOLVER, ...)",
       "in turn, until one solves the problem or proves that it has no solution; else the best",
       1,
       kAny,
       {},
       run_first},
      {"best",
       "best(SOLVER, ...)",
       "all of them; the answer with the smallest measure",
       1,
       kAny,
       {},
       run_best},
      {"repeat",
       "repeat(TIMES, SOLVER)",
       "first() of copies in which {k} is 1, 2, ...",
       1,
       1,
       {"times"},
       run_repeat},
      {"try",
       "try(SOLVER, share=PART, cap=ITERATIONS, from=best|zero|random:SEED, after=cap)",
       "with a share of the time that is left, a cap of iterations, or another start; or only "
       "after "
       "a try that ended at its cap",
       1,
       1,
       {"share", "cap", "from", "after"},
       run_try},
      {"polish",
       "polish(SOLVER)",
       "Newton steps on the active set of an answer that is all but right (lcp, mlcp, box_qp)",
       1,
       1,
       {},
       run_polish},
      {"proximal",
       "proximal(SOLVER, rho=RHO, steps=STEPS)",
       "proximal-point steps: the solver gets M + rho I, which is nonsingular if M is monotone "
       "(lcp, "
       "mlcp)",
       1,
       1,
       {"rho", "steps"},
       run_proximal},
      {"reduce",
       "reduce(SOLVER, to=convex|pyramid|pyramid:EDGES|fritz-john)",
       "another statement of a friction problem; the answer counts for the problem as posed",
       1,
       1,
       {"to"},
       run_reduce},
      {"without",
       "without(SOLVER, part=NAME)",
       "the solver without one of its methods or strategies: what that is worth",
       1,
       1,
       {"part"},
       run_without},
  };
  return list;
}

Outcome run_expression(const SolverExpression& e, const Task& task) {
  if (e.strategy) {
    const StrategyEntry* strategy = find_strategy(e.name);
    if (!strategy) throw std::invalid_argument(fmt::format("there is no strategy {}", e.name));
    return strategy->run(e, task);
  }
  if (e.name == kStart) return run_start(task);
  if (e.name == kAuto) return run_plan(task);
  return run_method(e, task);
}

void check_expression(const SolverExpression& e,
                      const std::function<std::unique_ptr<Solver>(std::string_view)>& make) {
  if (!e.strategy) {
    if (e.name == kAuto || e.name == kStart) {
      if (!e.settings.empty())
        throw std::invalid_argument(fmt::format("{} has no settings", e.name));
      return;
    }
    const std::unique_ptr<Solver> solver = make(e.name);
    for (const auto& [key, value] : e.settings) {
      // What depends on the problem is looked at when there is one.
      if (value.find('{') == value.npos) set_setting(*solver, key, value);
    }
    return;
  }
  const StrategyEntry* strategy = find_strategy(e.name);
  if (!strategy) {
    std::vector<std::string_view> names;
    for (const StrategyEntry& s : strategies()) names.push_back(s.name);
    throw std::invalid_argument(
        fmt::format("there is no strategy {}; there are: {}", e.name, fmt::join(names, ", ")));
  }
  const int parts = static_cast<int>(e.parts.size());
  if (parts < strategy->least_parts || parts > strategy->most_parts)
    throw std::invalid_argument(fmt::format("{} is used as {}", e.name, strategy->usage));
  for (const auto& [key, value] : e.settings) {
    if (std::find(strategy->options.begin(), strategy->options.end(), key) ==
        strategy->options.end())
      throw std::invalid_argument(
          fmt::format("{} has no option {}: {}", e.name, key, strategy->usage));
  }
  for (const SolverExpression& part : e.parts) check_expression(part, make);
}

void check_solver(const std::string& solver,
                  const std::function<std::unique_ptr<Solver>(std::string_view)>& make) {
  if (is_expression(solver)) {
    check_expression(parse_solver(solver), make);
  } else if (solver != kAuto) {
    make(solver);
  }
}

std::optional<std::string> option_of(const SolverExpression& e, std::string_view key,
                                     const Task& task) {
  for (const auto& [name, value] : e.settings) {
    if (name == key) return with_numbers(value, task.names);
  }
  return {};
}

std::optional<double> number_of(const SolverExpression& e, std::string_view key, const Task& task) {
  const std::optional<std::string> text = option_of(e, key, task);
  if (!text) return {};
  double value = 0.0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || end != text->data() + text->size() || !(value > 0))
    throw std::invalid_argument(fmt::format("{}: {}={} is no number above 0", e.name, key, *text));
  return value;
}

}  // namespace perp
