// An answer that is all but right needs an active set, not another method.
#include <iterator>
#include <perp/solvers/strategies/strategy.hpp>
#include <perp/solvers/verified_solve.hpp>
#include <utility>

namespace perp {

namespace {

constexpr double kNearlySolved = 1e-4;  // measure of an answer worth polishing

}  // namespace

Outcome run_polish(const SolverExpression& e, const Task& task) {
  Outcome out = run_expression(e.parts.front(), task);
  VerifiedResult& result = out.result;
  const bool linear = std::holds_alternative<Lcp>(task.problem.data) ||
                      std::holds_alternative<Mlcp>(task.problem.data) ||
                      std::holds_alternative<BoxQp>(task.problem.data);
  if (out.skipped || !linear) return out;
  const bool is_start = result.route.empty();  // what nobody has worked for, or judged
  const bool settled = result.status == Status::kSolved || result.status == Status::kInfeasible ||
                       result.status == Status::kInterrupted;
  if (!is_start && (settled || !(result.verdict.measure <= kNearlySolved))) return out;
  VerifiedResult polished = polish_point(task.problem, result.answer.z, task.request);
  if (is_start) {
    polished.start = result.start;
    result = std::move(polished);
    return out;
  }
  if (polished.status == Status::kSolved || polished.verdict.measure < result.verdict.measure) {
    result.answer = std::move(polished.answer);
    result.verdict = polished.verdict;
    result.refuted = polished.refuted;
    result.status = polished.status;
    result.claimed = polished.claimed;
    result.message = polished.message;
    result.certificate.reset();
    result.solutions.clear();
  }
  result.setup_time += polished.setup_time;
  result.solve_time += polished.solve_time;
  result.verification_time += polished.verification_time;
  result.iterations += polished.iterations;
  std::move(polished.route.begin(), polished.route.end(), std::back_inserter(result.route));
  return out;
}

}  // namespace perp
