// In turn until one gets through, and all of them for the best.
#include <perp/solvers/strategies/tries.hpp>

namespace perp {

namespace {

class InTurn final : public Strategy {
 public:
  InTurn(const SolverExpression& e, const Workshop& workshop, bool all) : all_(all) {
    for (const SolverExpression& part : e.parts) parts_.push_back(workshop.build(part));
  }

  Outcome& run(const Task& task) override {
    tries_.begin(task, all_);
    for (const auto& part : parts_) {
      if (tries_.run(*part, task)) break;
    }
    return tries_.end();
  }

 private:
  bool all_;
  std::vector<std::unique_ptr<Strategy>> parts_;
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
