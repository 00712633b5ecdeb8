// certify: asks whether a problem that was not solved has a solution at all.
#include <perp/problems/standard/reductions.hpp>
#include <perp/solvers/pivoting/farkas.hpp>
#include <perp/solvers/strategies/strategy.hpp>
#include <perp/solvers/verified_solve.hpp>

namespace perp {

namespace {

// Ends after which a linear program is solved to answer this.
bool asks_why(Status status) {
  return status == Status::kRay || status == Status::kStalled || status == Status::kStationary ||
         status == Status::kNumericalError;
}

class Certify final : public Strategy {
 public:
  Certify(const SolverExpression& e, const Workshop& workshop)
      : part_(workshop.build(e.parts.front())) {}

  Outcome& run(const Task& task) override {
    const auto started = VerifiedClock::now();
    Outcome& out = part_->run(task);
    VerifiedResult& result = out.result;
    if (out.skipped || !asks_why(result.status)) return out;
    const auto* lcp = std::get_if<Lcp>(&task.problem.data);
    const auto* mlcp = std::get_if<Mlcp>(&task.problem.data);
    if (!lcp && !mlcp) return out;
    double left = task.limits.time_limit;
    if (left > 0) {
      left -= seconds_since(started) - result.verification_time;
      if (!(left > 0)) return out;
    }
    const auto asked = VerifiedClock::now();
    std::optional<Vector> feasible;
    const auto farkas = find_farkas(lcp ? to_mlcp(*lcp) : *mlcp, left, &feasible);
    RouteStep step{"certify", Status::kStalled, Status::kStalled, 0, 0.0, "", {}, Residuals::kNone};
    if (farkas) {
      result.certificate = certificate_of(farkas->check, farkas->y);
      result.status = result.claimed = step.status = step.claimed = status_of(farkas->check);
      result.message = step.message = message_of(farkas->check);
      result.refuted = false;
    } else {
      step.message = feasible ? "the linear constraints are feasible" : "no proof was found";
    }
    step.time = seconds_since(asked);
    result.solve_time += step.time;
    result.route.push_back(std::move(step));
    return out;
  }

 private:
  std::unique_ptr<Strategy> part_;
};

}  // namespace

std::unique_ptr<Strategy> make_certify(const SolverExpression& e, const Workshop& workshop) {
  return std::make_unique<Certify>(e, workshop);
}

}  // namespace perp
