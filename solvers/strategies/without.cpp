// without: a solver without one of its parts, to measure what that part is worth.
#include <fmt/format.h>
#include <perp/solvers/strategies/strategy.hpp>
#include <stdexcept>
#include <utility>

namespace perp {

namespace {

// @throws std::invalid_argument if it is no method and no strategy
void check_name(const std::string& name, const Workshop& workshop) {
  if (name == "start") return;
  const auto& all = strategies();
  if (std::any_of(all.begin(), all.end(), [&](const auto& s) { return s.name == name; })) return;
  try {
    workshop.make(name);
  } catch (const std::invalid_argument&) {
    throw std::invalid_argument(fmt::format("without: {} is no method and no strategy", name));
  }
}

// The solver if nothing is left.
class Nothing final : public Strategy {
 public:
  explicit Nothing(const std::string& part)
      : why_(fmt::format("nothing is left without {}", part)) {}

  Outcome& run(const Task&) override {
    out_.clear();
    out_.drop_answer();
    out_.result.message = why_;
    out_.result.route.push_back({"without",
                                 Status::kUnsupported,
                                 Status::kUnsupported,
                                 0,
                                 0.0,
                                 why_,
                                 {},
                                 Residuals::kNone});
    return out_;
  }

 private:
  std::string why_;
  Outcome out_;
};

// A solver that keeps what it was built from: parts that are built on demand refer to it.
class Rest final : public Strategy {
 public:
  Rest(SolverExpression e, const Workshop& workshop)
      : expression_(std::move(e)), solver_(workshop.build(expression_)) {}

  Outcome& run(const Task& task) override { return solver_->run(task); }

 private:
  const SolverExpression expression_;
  const std::unique_ptr<Strategy> solver_;
};

}  // namespace

std::unique_ptr<Strategy> make_without(const SolverExpression& e, const Workshop& workshop) {
  OptionText option(e, "part");
  if (!option) throw std::invalid_argument("without: option part is missing");
  check_name(option.at({}), workshop);
  Workshop tools = workshop;
  tools.left_out.push_back(option.at({}));
  return build_rest(e.parts.front(), tools);
}

std::unique_ptr<Strategy> build_rest(SolverExpression rest, const Workshop& workshop) {
  for (const std::string& part : workshop.left_out) {
    if (!remove_named(rest, part)) return std::make_unique<Nothing>(part);
  }
  return std::make_unique<Rest>(std::move(rest), workshop);
}

}  // namespace perp
