// try: runs its part with a share of the time, a cap of iterations, or another start.
#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <perp/problems/matrix/infinity.hpp>
#include <perp/problems/standard/random.hpp>
#include <perp/solvers/strategies/strategy.hpp>
#include <stdexcept>

namespace perp {

namespace {

constexpr std::string_view kRandomPrefix = "random:", kNearPrefix = "near:";

// Bounds of unknown i that a start should keep; infinite if the kind has none.
struct Bounds {
  double low = 0.0, high = 2.0;
};

Bounds bounds_of(const Problem& problem, int i) {
  if (std::holds_alternative<Lcp>(problem.data)) return {0.0, kInfinity};
  if (const auto* mlcp = std::get_if<Mlcp>(&problem.data)) return {mlcp->lower[i], mlcp->upper[i]};
  if (const auto* mcp = std::get_if<Mcp>(&problem.data)) return {mcp->lower[i], mcp->upper[i]};
  if (const auto* qp = std::get_if<BoxQp>(&problem.data)) return {qp->lower[i], qp->upper[i]};
  return {-kInfinity, kInfinity};
}

// A random half of the unknowns at their lower bounds (if they have one), the others off them.
void random_start(const Problem& problem, std::uint64_t seed, Vector& start) {
  Random random(seed);
  start.setZero(problem.size());
  const bool bounded = std::holds_alternative<Mlcp>(problem.data) ||
                       std::holds_alternative<Mcp>(problem.data) ||
                       std::holds_alternative<BoxQp>(problem.data);
  for (int i = 0; i < problem.size(); ++i) {
    auto [low, high] = bounded ? bounds_of(problem, i) : Bounds{};
    if (std::isinf(low)) low = std::isinf(high) ? -1.0 : high - 2.0;
    if (std::isinf(high)) high = low + 2.0;
    start[i] = random.uniform() < 0.5 ? low : 0.5 * (low + high);
  }
}

// A random point, uniform in a box around a point and clamped to the bounds. The width of the box
// grows with the size of the unknowns.
void start_near(const Problem& problem, const Vector* around, double radius, std::uint64_t seed,
                Vector& start) {
  Random random(seed);
  start.setZero(problem.size());
  for (int i = 0; i < problem.size(); ++i) {
    const auto [low, high] = bounds_of(problem, i);
    const double at = around ? (*around)[i] : std::clamp(0.0, low, high);
    const double width = radius * std::max(1.0, std::abs(at));
    start[i] = std::clamp(at + random.uniform(-width, width), low, high);
  }
}

const Vector* dual_of(const Answer& answer) {
  return answer.dual.size() > 0 ? &answer.dual : nullptr;
}

// Where a try starts.
struct Place {
  enum Kind { kBest, kZero, kStart, kRandom, kNear } kind = kStart;
  double radius = 0.0;
  std::uint64_t seed = 0;
};

[[noreturn]] void refuse(const std::string& from) {
  throw std::invalid_argument(
      fmt::format("try: from={} is not best, zero, start, random:SEED or near:RADIUS:SEED", from));
}

// The number at the beginning of a text, which is removed from it.
double leading_number(std::string_view& rest, const std::string& from) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc() || !(value >= 0) || !std::isfinite(value)) refuse(from);
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return value;
}

std::uint64_t seed_of(std::string_view rest, const std::string& from) {
  const double seed = leading_number(rest, from);
  if (!rest.empty() || seed != std::floor(seed) || !(seed < 0x1p64)) refuse(from);
  return static_cast<std::uint64_t>(seed);
}

// @throws std::invalid_argument
Place read_place(const std::string& from) {
  if (from == "best") return {Place::kBest};
  if (from == "zero") return {Place::kZero};
  if (from == "start") return {Place::kStart};
  std::string_view rest = from;
  if (rest.starts_with(kRandomPrefix)) {
    rest.remove_prefix(kRandomPrefix.size());
    return {Place::kRandom, 0.0, seed_of(rest, from)};
  }
  if (!rest.starts_with(kNearPrefix)) refuse(from);
  rest.remove_prefix(kNearPrefix.size());
  const double radius = leading_number(rest, from);
  if (rest.empty() || rest.front() != ':') refuse(from);
  rest.remove_prefix(1);
  return {Place::kNear, radius, seed_of(rest, from)};
}

class Try final : public Strategy {
 public:
  Try(const SolverExpression& e, const Workshop& workshop)
      : part_(workshop.build(e.parts.front())),
        share_(e, "share", OptionRange::kUpToOne),
        cap_(e, "cap", OptionRange::kInteger),
        within_(e, "within"),
        from_(e, "from"),
        after_(e, "after") {
    if (after_ && after_.at({}) != "cap") throw std::invalid_argument("try: after is cap");
    if (from_.is_constant()) read_place(from_.at({}));
  }

  Outcome& run(const Task& task) override {
    if (after_ && !task.after_cap) return nothing();
    if (within_ && !(task.best && task.best->verdict.measure <= within_.at(*task.numbers, 0.0)))
      return nothing();
    const bool from_start = from_ && from_.at(*task.numbers) == "start";
    if (from_start && !task.start.z && !task.start.basis) return nothing();
    Task one = task;
    int& caller = one.limits.max_iterations;
    const int cap = cap_.whole(*task.numbers, 0);
    const bool capped = cap > 0 && !(caller > 0 && caller <= cap);
    if (capped) caller = cap;
    one.limits.time_limit *= share_.at(*task.numbers, 1.0);
    const bool own_start = from_ && change_start(from_.at(*task.numbers), one);
    static const std::string kNowhere;
    Outcome& out = part_->run(one);
    if (out.skipped) return out;
    out.capped |= capped && out.result.status == Status::kIterationLimit;
    if (own_start) out.result.start = "nothing";  // the caller's start was not used
    if (!out.result.route.empty())
      tell(out.result.route.back(), capped ? cap : 0,
           own_start ? from_.at(*task.numbers) : kNowhere);
    return out;
  }

 private:
  Outcome& nothing() {
    skipped_.clear();
    skipped_.drop_answer();
    skipped_.skipped = true;
    return skipped_;
  }

  // Sets the start that `from` names. @return whether it is one of the strategy's own
  bool change_start(const std::string& from, Task& task) {
    const Place place = read_place(from);
    switch (place.kind) {
      case Place::kBest: {
        const bool usable = task.best && task.best->answer.z.size() == task.problem.size() &&
                            task.best->answer.z.allFinite();
        if (usable) task.start = {&task.best->answer.z, dual_of(task.best->answer)};
        return usable;
      }
      case Place::kStart:
        return false;
      case Place::kZero:
        task.start = {};
        return true;
      case Place::kRandom:
        random_start(task.problem, place.seed, start_);
        break;
      case Place::kNear:
        start_near(task.problem, task.start.z, place.radius, place.seed, start_);
        break;
    }
    task.start = {&start_};
    return true;
  }

  // Notes start and cap of this try in the route; the texts are kept for the next time.
  void tell(RouteStep& step, int cap, const std::string& from) {
    if (!from.empty() && from != "best") {
      if (told_from_.base.str() != step.solver.str() || told_from_.suffix != from)
        told_from_ = {step.solver, from, fmt::format("{} from {}", step.solver.str(), from)};
      step.solver = told_from_.whole;
    }
    if (cap > 0) {
      const std::string suffix = std::to_string(cap);
      if (told_cap_.base.str() != step.settings.str() || told_cap_.suffix != suffix) {
        told_cap_ = {step.settings, suffix,
                     fmt::format("{}{}max_iterations={}", step.settings.str(),
                                 step.settings.empty() ? "" : " ", cap)};
      }
      step.settings = told_cap_.whole;
    }
  }

  struct Told {
    SharedText base;
    std::string suffix;
    SharedText whole;
  };

  std::unique_ptr<Strategy> part_;
  OptionNumber share_, cap_, within_;
  OptionText from_, after_;
  Vector start_;
  Told told_from_, told_cap_;
  Outcome skipped_;
};

}  // namespace

std::unique_ptr<Strategy> make_try(const SolverExpression& e, const Workshop& workshop) {
  return std::make_unique<Try>(e, workshop);
}

}  // namespace perp
