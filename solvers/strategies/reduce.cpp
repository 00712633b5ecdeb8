// reduce: solves another statement of the problem.
#include <fmt/format.h>
#include <algorithm>
#include <perp/solvers/statements.hpp>
#include <perp/solvers/strategies/strategy.hpp>
#include <perp/solvers/verified_solve.hpp>
#include <stdexcept>

namespace perp {

namespace {

class Reduce final : public Strategy {
 public:
  Reduce(const SolverExpression& e, const Workshop& workshop)
      : part_(workshop.build(e.parts.front())), to_(e, "to") {
    if (!to_) throw std::invalid_argument("reduce: option to is missing");
    if (to_.is_constant()) check_reduction(to_.at({}));
  }

  Outcome& run(const Task& task) override {
    const auto started = VerifiedClock::now();
    const std::string& to = to_.at(*task.numbers);
    const auto* contact = std::get_if<FrictionContact>(&task.problem.data);
    if (!contact) return refused(task, to);
    if (task.version != seen_ || !reduction_ || to != made_) {
      reduction_ = named_reduction(*contact, to);
      made_ = to;
      reduced_.data = reduction_->problem;
      reduced_.name = task.problem.name;
      seen_ = task.version;
      ++inner_.structure;  // the structure of the reduction may depend on the values
    }
    const double factor = reduction_->tolerance_factor;
    const std::optional<Answer> start = start_of_reduction(*reduction_, task.start);
    numbers_ = *task.numbers;
    numbers_["n"] = std::max(reduced_.size(), 1);
    numbers_["contacts"] = 0.0;
    Task inner = task.with(reduced_, inner_);
    inner.numbers = &numbers_;
    inner.verify_at *= factor;
    inner.limits.tolerance *= factor;
    if (start) inner.start = {&start->z, start->dual.size() > 0 ? &start->dual : nullptr};
    const double spent = seconds_since(started);
    if (inner.limits.time_limit > 0)
      inner.limits.time_limit = std::max(inner.limits.time_limit - spent, kLeastLimit);
    Outcome& out = part_->run(inner);
    charge_setup(out.result, spent);
    if (!out.skipped)
      map_back(task.problem, *reduction_, reduced_, task.verify_at, out.result, task.all_residuals);
    return out;
  }

 private:
  Outcome& refused(const Task& task, const std::string& to) {
    check_reduction(to);
    refused_.clear();
    refused_.drop_answer();
    VerifiedResult& r = refused_.result;
    r.message = fmt::format("reduction {}: only a friction_contact has some, not a {}", to,
                            task.problem.kind());
    r.route.push_back({"reduce", r.status, r.claimed, 0, 0.0, r.message, {}, Residuals::kNone});
    return refused_;
  }

  std::unique_ptr<Strategy> part_;
  OptionText to_;
  std::string made_;  // the reduction that is kept
  Version seen_, inner_{1, 1};
  std::optional<Reduction> reduction_;
  Problem reduced_;
  Numbers numbers_;
  Outcome refused_;
};

}  // namespace

std::unique_ptr<Strategy> make_reduce(const SolverExpression& e, const Workshop& workshop) {
  return std::make_unique<Reduce>(e, workshop);
}

}  // namespace perp
