// What a part of a solver is worth: the solver without it.
#include <fmt/format.h>
#include <perp/solvers/plans.hpp>
#include <perp/solvers/strategies/strategy.hpp>
#include <stdexcept>

namespace perp {

namespace {

// There is nothing left.
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

}  // namespace

std::unique_ptr<Strategy> make_without(const SolverExpression& e, const Workshop& workshop) {
  OptionText option(e, "part");
  if (!option) throw std::invalid_argument("without: option part is missing");
  const auto build = [part = option.at({})](SolverExpression rest,
                                            const Workshop& tools) -> std::unique_ptr<Strategy> {
    if (!remove_named(rest, part)) return std::make_unique<Nothing>(part);
    return tools.build(rest);
  };
  const SolverExpression& inner = e.parts.front();
  const bool is_auto = !inner.strategy && inner.name == "auto";
  return is_auto ? make_auto(workshop, build) : build(inner, workshop);
}

}  // namespace perp
