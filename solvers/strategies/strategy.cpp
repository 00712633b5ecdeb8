#include <perp/solvers/strategies/strategy.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <perp/solvers/plans.hpp>
#include <stdexcept>

namespace perp {

namespace {

constexpr int kAny = 1000;
constexpr std::string_view kTryUsage =
    "try(SOLVER, share=PART, cap=ITERATIONS, from=best|zero|start|random:SEED|near:RADIUS:SEED, "
    "within=MEASURE, after=cap)";
constexpr std::string_view kTrySummary =
    "with a share of the time that is left, a cap of iterations, or another start; or only if the "
    "best answer before is within a measure, or after a try that ended at its cap";
constexpr std::string_view kTogetherSummary =
    "as first(), but none sees the answers of those before: on several threads they run at the "
    "same time, and the result is the same";
constexpr std::string_view kEliminateSummary =
    "if WHOLE stalls, PART solves the worst rows and what is next to them, and WHOLE goes on "
    "from there (mcp)";
constexpr std::string_view kAuto = "auto", kStart = "start";

const StrategyEntry* find_strategy(std::string_view name) {
  const auto& all = strategies();
  const auto it =
      std::find_if(all.begin(), all.end(), [&](const StrategyEntry& s) { return s.name == name; });
  return it == all.end() ? nullptr : &*it;
}

// @throws std::invalid_argument if a setting or option stands twice in it
void expect_once(const SolverExpression& e, std::string_view what) {
  for (const auto& [key, value] : e.settings) {
    const auto same = [&key = key](const auto& s) { return s.first == key; };
    if (std::count_if(e.settings.begin(), e.settings.end(), same) > 1)
      throw std::invalid_argument(fmt::format("{}: {} {} is given twice", e.name, what, key));
  }
}

// @throws std::invalid_argument for an unknown strategy, a wrong number of parts or unknown options
const StrategyEntry& checked_strategy(const SolverExpression& e) {
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
  expect_once(e, "option");
  return *strategy;
}

void collect_methods(const SolverExpression& e, std::vector<std::string>& names) {
  for (const SolverExpression& part : e.parts) collect_methods(part, names);
  if (e.strategy || e.name == kStart) return;
  if (e.name == kAuto) {
    for (const Plan& plan : plans()) collect_methods(solver_of(plan), names);
  } else if (std::find(names.begin(), names.end(), e.name) == names.end()) {
    names.push_back(e.name);
  }
}

}  // namespace

void Outcome::clear() {
  VerifiedResult& r = result;
  r.status = r.claimed = Status::kUnsupported;
  r.basis.clear();
  r.verdict = {};
  r.solutions.clear();
  r.certificate.reset();
  r.route.clear();
  r.iterations = 0;
  r.setup_time = r.solve_time = r.verification_time = 0.0;
  r.refuted = r.own_times = false;
  r.start = "nothing";
  r.message.clear();
  r.statistics.clear();
  skipped = capped = false;
}

void Outcome::drop_answer() {
  result.answer.z.resize(0);
  result.answer.dual.resize(0);
}

const std::vector<StrategyEntry>& strategies() {
  // To add a strategy, add its line here.
  static const std::vector<StrategyEntry> list = {
      {"first",
       "first(SOLVER, ...)",
       "in turn, until one solves the problem or proves that it has no solution; else the best",
       1,
       kAny,
       {},
       make_first},
      {"best",
       "best(SOLVER, ...)",
       "all of them; the answer with the smallest measure",
       1,
       kAny,
       {},
       make_best},
      {"together", "together(SOLVER, ...)", kTogetherSummary, 1, kAny, {}, make_together},
      {"repeat",
       "repeat(TIMES, SOLVER)",
       "first() of copies in which {k} is 1, 2, ...",
       1,
       1,
       {"times"},
       make_repeat},
      {"try", kTryUsage, kTrySummary, 1, 1, {"share", "cap", "from", "within", "after"}, make_try},
      {"warm",
       "warm(SOLVER, share=PART)",
       "from the start, with half of the time; if that fails, without it",
       1,
       1,
       {"share"},
       make_warm},
      {"polish",
       "polish(SOLVER)",
       "Newton steps on the active set of an answer that is nearly right (lcp, mlcp, box_qp, "
       "conic_qp)",
       1,
       1,
       {},
       make_polish},
      {"certify",
       "certify(SOLVER)",
       "if it fails: a search for a proof that there is no solution (lcp, mlcp, friction_contact)",
       1,
       1,
       {},
       make_certify},
      {"proximal",
       "proximal(SOLVER, rho=RHO, steps=STEPS)",
       "proximal-point steps: the solver gets M + rho I, which is nonsingular if M is monotone "
       "(lcp, mlcp), or F(z) + rho (z - c) with a rho that changes (mcp)",
       1,
       1,
       {"rho", "steps"},
       make_proximal},
      {"reduce",
       "reduce(SOLVER, to=convex|pyramid|pyramid:EDGES|fritz-john)",
       "another statement of a friction problem; the answer counts for the problem as posed",
       1,
       1,
       {"to"},
       make_reduce},
      {"islands", "islands(SOLVER)", "each island of an mcp by itself", 1, 1, {}, make_islands},
      {"eliminate",
       "eliminate(WHOLE, PART, rounds=ROUNDS, share=SHARE)",
       kEliminateSummary,
       2,
       2,
       {"rounds", "share"},
       make_eliminate},
      {"without",
       "without(SOLVER, part=NAME)",
       "the solver without one of its methods or strategies, to measure what that is worth",
       1,
       1,
       {"part"},
       make_without},
  };
  return list;
}

std::unique_ptr<Strategy> Workshop::build(const SolverExpression& e) const {
  if (e.strategy) return checked_strategy(e).make(e, *this);
  expect_once(e, "setting");
  const bool special = e.name == kStart || e.name == kAuto;
  if (special && !e.settings.empty())
    throw std::invalid_argument(fmt::format("{} has no settings", e.name));
  if (e.name == kStart) return make_start();
  if (e.name == kAuto) return make_auto(*this, left_out.empty() ? BuildPlan() : build_rest);
  return make_method(e, *this);
}

std::vector<std::string> methods_of(const SolverExpression& expression) {
  std::vector<std::string> names;
  collect_methods(expression, names);
  return names;
}

void check_expression(const SolverExpression& e,
                      const std::function<std::unique_ptr<Solver>(std::string_view)>& make) {
  Workshop{make, {}}.build(e);
}

void check_solver(const std::string& solver,
                  const std::function<std::unique_ptr<Solver>(std::string_view)>& make) {
  check_expression(parse_any_solver(solver), make);
}

Task Task::with(const Problem& other, Version its_version) const {
  return {other,   its_version, {},      limits,    verify_at,     observer,
          numbers, false,       nullptr, after_cap, give_up_early, stop_if_excluded};
}

OptionText::OptionText(const SolverExpression& e, std::string_view key) {
  for (const auto& [name, value] : e.settings) {
    if (name != key) continue;
    given_ = true;
    text_ = value;
  }
  constant_ = text_.find('{') == text_.npos;
}

const std::string& OptionText::at(const Numbers& numbers) {
  if (constant_) return text_;
  if (value_.empty() || numbers != numbers_) {
    value_ = with_numbers(text_, numbers);
    numbers_ = numbers;
  }
  return value_;
}

OptionNumber::OptionNumber(const SolverExpression& e, std::string_view key, OptionRange range)
    : strategy_(e.name), key_(key), range_(range), text_(e, key) {
  if (text_.is_constant()) at({}, 0.0);
}

double OptionNumber::at(const Numbers& numbers, double otherwise) {
  if (!text_) return otherwise;
  const std::string& text = text_.at(numbers);
  if (!read_.empty() && text == read_) return value_;
  const auto refuse = [&](std::string_view why) {
    throw std::invalid_argument(fmt::format("{}: {}={} {}", strategy_, key_, text, why));
  };
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0) ||
      !std::isfinite(value))
    refuse("is no number above 0");
  if (range_ == OptionRange::kUpToOne && value > 1.0) refuse("is above 1");
  if (range_ == OptionRange::kInteger && value != std::floor(value)) refuse("is no whole number");
  read_ = text;
  return value_ = value;
}

int OptionNumber::whole(const Numbers& numbers, int otherwise) {
  return static_cast<int>(
      std::min(at(numbers, otherwise), double{std::numeric_limits<int>::max()}));
}

}  // namespace perp
