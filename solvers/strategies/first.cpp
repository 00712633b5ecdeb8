// first: runs its parts in turn until one succeeds. best: runs all of them and takes the best
// answer.
#include <perp/solvers/strategies/tries.hpp>

namespace perp {

namespace {

class InTurn final : public Strategy {
 public:
  InTurn(const SolverExpression& e, const Workshop& workshop, bool all) : all_(all) {
    if (workshop.on_demand) workshop_ = workshop;
    for (const SolverExpression& part : e.parts) {
      parts_.push_back({&part, nullptr});
      if (!workshop.on_demand) parts_.back().built = workshop.build(part);
    }
  }

  Outcome& run(const Task& task) override {
    tries_.begin(task, all_);
    for (Part& part : parts_) {
      if (!part.built) part.built = workshop_.build(*part.expression);
      if (tries_.run(*part.built, task)) break;
    }
    return tries_.end();
  }

 private:
  struct Part {
    const SolverExpression* expression;  // if it is not built yet
    std::unique_ptr<Strategy> built;
  };

  bool all_;
  Workshop workshop_;  // builds parts on demand
  std::vector<Part> parts_;
  Tries tries_;
};

}  // namespace

std::unique_ptr<Strategy> make_first(const SolverExpression& e, const Workshop& workshop) {
  return std::make_unique<InTurn>(e, workshop, false);
}

std::unique_ptr<Strategy> make_best(const SolverExpression& e, const Workshop& workshop) {
  return std::make_unique<InTurn>(e, workshop, true);
}

}  // namespace perp
