// Proximal-point steps for complementarity problems that are monotone but singular.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <perp/problems/standard/reductions.hpp>
#include <perp/solvers/strategies/strategy.hpp>
#include <perp/solvers/verified_solve.hpp>
#include <utility>

namespace perp {

namespace {

constexpr double kRho = 0.01;  // of the largest entry of M
constexpr int kSteps = 50;

Matrix shifted(const Matrix& M, double rho) {
  const int n = M.rows();
  if (!M.is_sparse()) return DenseMatrix(M.to_dense() + rho * DenseMatrix::Identity(n, n));
  SparseMatrix identity(n, n);
  identity.setIdentity();
  return SparseMatrix(M.sparse() + rho * identity);
}

}  // namespace

// z+ solves the problem of M + rho I and q - rho z (Rockafellar 1976); what is verified, and ends
// the steps, is the problem as posed.
Outcome run_proximal(const SolverExpression& e, const Task& task) {
  const auto started = VerifiedClock::now();
  const auto* lcp = std::get_if<Lcp>(&task.problem.data);
  const auto* mlcp = std::get_if<Mlcp>(&task.problem.data);
  if (!lcp && !mlcp) return {unsupported("proximal", "proximal takes lcp and mlcp", 0.0)};
  validate(task.problem);
  const Mlcp posed = lcp ? to_mlcp(*lcp) : *mlcp;
  const double rho = number_of(e, "rho", task).value_or(kRho) * posed.M.max_abs();
  const int steps = static_cast<int>(number_of(e, "steps", task).value_or(kSteps));
  Problem near;
  near.name = task.problem.name;
  near.data = Mlcp{shifted(posed.M, rho), posed.q, posed.lower, posed.upper};
  Vector z = task.request.start.value_or(Vector::Zero(posed.size()));
  z = z.cwiseMax(posed.lower).cwiseMin(posed.upper);
  Outcome out;
  VerifiedResult& all = out.result;
  all.status = all.claimed = Status::kIterationLimit;
  all.verdict.tolerance = verified_at(task.request);
  all.setup_time = seconds_since(started);
  for (int k = 0; k < steps; ++k) {
    std::get<Mlcp>(near.data).q = posed.q - rho * z;
    Task inner{near, task.request, task.observer, task.owner, task.names, nullptr, task.after_cap};
    inner.request.start = z;
    inner.request.start_dual.reset();
    if (task.request.limits.time_limit > 0) {
      const double left = task.request.limits.time_limit - seconds_since(started);
      if (k > 0 && left <= 0) {
        all.status = all.claimed = Status::kTimeLimit;
        break;
      }
      inner.request.limits.time_limit = std::max(left, kLeastLimit);
    }
    Outcome step = run_expression(e.parts.front(), inner);
    VerifiedResult& r = step.result;
    out.capped |= step.capped;
    all.setup_time += r.setup_time;
    all.solve_time += r.solve_time;
    all.verification_time += r.verification_time;
    all.iterations += r.iterations;
    std::move(r.route.begin(), r.route.end(), std::back_inserter(all.route));
    if (!has_answer(near.data, near.size(), r.answer)) {
      all.status = all.claimed = r.status;
      all.message = r.message;
      break;
    }
    z = r.answer.z;
    const auto verified = VerifiedClock::now();
    all.answer.z = z;
    all.verdict = verify(task.problem.data, all.answer, verified_at(task.request));
    all.verification_time += seconds_since(verified);
    if (all.verdict.solved) {
      all.status = all.claimed = Status::kSolved;
      break;
    }
    if (r.status != Status::kSolved) {
      all.status = all.claimed = r.status == Status::kWrong ? Status::kStalled : r.status;
      all.message = r.message;
      break;
    }
  }
  if (task.request.start) all.start = "given";
  return out;
}

}  // namespace perp
