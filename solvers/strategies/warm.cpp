// warm: solves from the start; if that fails, again without it. So a start never costs a solution.
#include <algorithm>
#include <perp/solvers/strategies/tries.hpp>

namespace perp {

namespace {

constexpr double kShareFromStart = 0.5;  // share of the time for the try from the start

// Ends after which another start may help.
bool led_nowhere(Status status) {
  return status != Status::kSolved && status != Status::kInfeasible &&
         status != Status::kExcluded && status != Status::kInterrupted &&
         status != Status::kUnsupported;
}

class Warm final : public Strategy {
 public:
  Warm(const SolverExpression& e, const Workshop& workshop)
      : part_(workshop.build(e.parts.front())), share_(e, "share", OptionRange::kUpToOne) {}

  Outcome& run(const Task& task) override {
    if (!task.start.z && !task.start.basis) return part_->run(task);
    tries_.begin(task, false);
    Share first{*part_, share_.at(*task.numbers, kShareFromStart)};
    tries_.run(first, task);
    Outcome& out = tries_.end();
    if (out.skipped || !led_nowhere(out.result.status)) return out;
    Task cold = task;
    cold.start = {};
    tries_.run(*part_, cold);
    return tries_.end();
  }

 private:
  // Runs the part with a share of the time.
  class Share final : public Strategy {
   public:
    Share(Strategy& part, double share) : part_(part), share_(share) {}
    Outcome& run(const Task& task) override {
      Task one = task;
      one.limits.time_limit *= share_;
      return part_.run(one);
    }

   private:
    Strategy& part_;
    double share_;
  };

  std::unique_ptr<Strategy> part_;
  OptionNumber share_;
  Tries tries_;
};

}  // namespace

std::unique_ptr<Strategy> make_warm(const SolverExpression& e, const Workshop& workshop) {
  return std::make_unique<Warm>(e, workshop);
}

}  // namespace perp
