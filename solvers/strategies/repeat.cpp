// repeat: first() of copies of a solver that differ by a number k.
#include <perp/solvers/strategies/tries.hpp>
#include <stdexcept>

namespace perp {

namespace {

class Repeat final : public Strategy {
 public:
  Repeat(const SolverExpression& e, const Workshop& workshop)
      : part_(workshop.build(e.parts.front())), times_(e, "times", OptionRange::kInteger) {
    if (!times_) throw std::invalid_argument("repeat: the number of copies is missing");
  }

  Outcome& run(const Task& task) override {
    Task one = task;
    numbers_ = *task.numbers;
    one.numbers = &numbers_;
    tries_.begin(task, false);
    const int times = times_.whole(*task.numbers, 0);
    for (long k = 1; k <= times; ++k) {
      numbers_["k"] = static_cast<double>(k);
      if (tries_.run(*part_, one)) break;
    }
    return tries_.end();
  }

 private:
  std::unique_ptr<Strategy> part_;
  OptionNumber times_;
  Numbers numbers_;
  Tries tries_;
};

}  // namespace

std::unique_ptr<Strategy> make_repeat(const SolverExpression& e, const Workshop& workshop) {
  return std::make_unique<Repeat>(e, workshop);
}

}  // namespace perp
