// certify: asks whether a problem that was not solved has a solution at all.
#include <perp/solvers/pivoting/farkas.hpp>
#include <perp/solvers/strategies/strategy.hpp>
#include <perp/solvers/verified_solve.hpp>

namespace perp {

namespace {

// Ends after which a linear program is solved to answer this: without an answer, and not at a limit
// that the caller has set.
bool asks_why(const Outcome& outcome) {
  const Status status = outcome.result.status;
  return status == Status::kRay || status == Status::kStalled || status == Status::kStationary ||
         status == Status::kNumericalError || (status == Status::kIterationLimit && outcome.capped);
}

bool can_ask(const Problem& problem) {
  return std::holds_alternative<Lcp>(problem.data) || std::holds_alternative<Mlcp>(problem.data) ||
         std::holds_alternative<FrictionContact>(problem.data);
}

std::optional<FarkasCertificate> search(const Problem& problem, double time_limit,
                                        std::optional<Vector>& feasible) {
  if (const auto* lcp = std::get_if<Lcp>(&problem.data))
    return find_farkas(*lcp, time_limit, &feasible);
  if (const auto* mlcp = std::get_if<Mlcp>(&problem.data))
    return find_farkas(*mlcp, time_limit, &feasible);
  return find_farkas(std::get<FrictionContact>(problem.data), time_limit, &feasible);
}

class Certify final : public Strategy {
 public:
  Certify(const SolverExpression& e, const Workshop& workshop)
      : part_(workshop.build(e.parts.front())) {}

  Outcome& run(const Task& task) override {
    const auto started = VerifiedClock::now();
    Outcome& out = part_->run(task);
    VerifiedResult& result = out.result;
    if (out.skipped || !asks_why(out)) return out;
    if (!can_ask(task.problem)) return out;
    double left = task.limits.time_limit;
    if (left > 0) {
      left -= seconds_since(started) - result.verification_time;
      if (!(left > 0)) return out;
    }
    const auto asked = VerifiedClock::now();
    std::optional<Vector> feasible;
    const auto farkas = search(task.problem, left, feasible);
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
