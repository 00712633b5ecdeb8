// proximal: proximal-point steps for complementarity problems that are monotone but singular.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <perp/problems/standard/reductions.hpp>
#include <perp/solvers/strategies/proximal_steps.hpp>
#include <stdexcept>
#include <utility>

namespace perp {

namespace {

constexpr double kRho = 0.01;  // rho over the largest entry of M
constexpr int kSteps = 50;

Matrix shifted(const Matrix& M, double rho) {
  const int n = M.rows();
  if (!M.is_sparse()) return DenseMatrix(M.to_dense() + rho * DenseMatrix::Identity(n, n));
  SparseMatrix identity(n, n);
  identity.setIdentity();
  return SparseMatrix(M.sparse() + rho * identity);
}

// z+ solves the problem of M + rho I and q - rho z [Rockafellar1976]. The steps end if z+ solves
// the problem as posed, which is verified.
class LinearProximalPoint final : public Strategy {
 public:
  LinearProximalPoint(const SolverExpression& e, const Workshop& workshop)
      : part_(workshop.build(e.parts.front())),
        rho_(e, "rho"),
        steps_(e, "steps", OptionRange::kInteger) {}

  Outcome& run(const Task& task) override {
    const auto started = VerifiedClock::now();
    out_.clear();
    VerifiedResult& all = out_.result;
    if (!prepare(task)) {
      out_.drop_answer();
      all.message = "proximal takes lcp, mlcp and mcp";
      all.route.push_back(
          {"proximal", all.status, all.claimed, 0, 0.0, all.message, {}, Residuals::kNone});
      return out_;
    }
    if (near_.size() == 0 && posed_.size() > 0) {
      out_.drop_answer();
      all.status = all.claimed = Status::kNumericalError;
      all.message = "M + rho I is not finite";
      all.route.push_back(
          {"proximal", all.status, all.claimed, 0, 0.0, all.message, {}, Residuals::kNone});
      return out_;
    }
    all.status = all.claimed = Status::kIterationLimit;
    all.verdict.tolerance = task.verify_at;
    all.setup_time = seconds_since(started);
    if (task.start.z) all.start = "given";
    centre_.setZero(task.problem.size());
    if (task.start.z) centre_ = *task.start.z;
    centre_ = centre_.cwiseMax(posed_.lower).cwiseMin(posed_.upper);
    const int steps = steps_.whole(*task.numbers, kSteps);
    for (int k = 0; k < steps; ++k) {
      if (!step(task, started, k)) break;
    }
    all.route.push_back(route_step("proximal", all));
    return out_;
  }

 private:
  // Leaves near_ empty if M + rho I is not finite. @return false if the problem is no lcp or mlcp
  bool prepare(const Task& task) {
    const auto* lcp = std::get_if<Lcp>(&task.problem.data);
    const auto* mlcp = std::get_if<Mlcp>(&task.problem.data);
    if (!lcp && !mlcp) return false;
    const double share = rho_.at(*task.numbers, kRho);
    if (task.version == version_ && share == share_ && posed_.size() > 0) return true;
    if (!task.is_valid) validate(task.problem);
    posed_ = lcp ? to_mlcp(*lcp) : *mlcp;
    shift_ = share * posed_.M.max_abs();
    near_.name = task.problem.name;
    if (!std::isfinite(shift_))
      throw std::invalid_argument(fmt::format(
          "proximal: rho={} times the largest entry of M is not a finite number", share));
    Matrix near = shifted(posed_.M, shift_);
    near_.data =
        near.all_finite() ? Mlcp{std::move(near), posed_.q, posed_.lower, posed_.upper} : Mlcp{};
    inner_version_.structure += task.version.structure != version_.structure || share_ == 0.0;
    version_ = task.version;
    share_ = share;
    return true;
  }

  // One proximal step. @return whether another one follows
  bool step(const Task& task, VerifiedClock::time_point started, int k) {
    VerifiedResult& all = out_.result;
    Vector& q = std::get<Mlcp>(near_.data).q;
    q = posed_.q - shift_ * centre_;
    if (!q.allFinite()) {
      all.status = all.claimed = Status::kStalled;
      all.message = "q - rho z is not finite";
      return false;
    }
    ++inner_version_.values;
    Task inner = task.with(near_, inner_version_);
    inner.verify_at = task.limits.tolerance;
    inner.start = task.start;
    if (k > 0) inner.start = {&centre_, nullptr, basis_.empty() ? nullptr : &basis_};
    const Outcome* run = run_proximal_step(*part_, task, inner, started, k == 0, all);
    if (!run) {
      all.status = all.claimed = Status::kTimeLimit;
      return false;
    }
    const Outcome& outcome = *run;
    const VerifiedResult& r = outcome.result;
    out_.capped |= outcome.capped;
    if (outcome.skipped || !has_answer(near_.data, near_.size(), r.answer)) {
      if (k == 0) out_.drop_answer();
      all.status = all.claimed = r.status;
      all.message = r.message;
      return false;
    }
    centre_ = r.answer.z;
    basis_ = r.basis;
    all.answer.z = centre_;
    check_answer(task.problem, task.verify_at, all, task.all_residuals);
    if (all.verdict.solved) {
      all.status = all.claimed = Status::kSolved;
      return false;
    }
    if (r.status == Status::kSolved) return true;
    all.status = all.claimed = r.status == Status::kWrong ? Status::kStalled : r.status;
    all.message = r.message;
    return false;
  }

  std::unique_ptr<Strategy> part_;
  OptionNumber rho_, steps_;
  Mlcp posed_;
  Problem near_;  // the proximal problem around the centre
  Version version_, inner_version_;
  double share_ = 0.0, shift_ = 0.0;  // rho over the largest entry of M, and rho
  Vector centre_;
  std::vector<PairStatus> basis_;  // of the last inner answer
  Outcome out_;
};

// Chooses by the kind of the problem.
class ProximalPoint final : public Strategy {
 public:
  ProximalPoint(const SolverExpression& e, const Workshop& workshop)
      : linear_(e, workshop), nonlinear_(make_nonlinear_proximal(e, workshop)) {}

  Outcome& run(const Task& task) override {
    return std::holds_alternative<Mcp>(task.problem.data) ? nonlinear_->run(task)
                                                          : linear_.run(task);
  }

 private:
  LinearProximalPoint linear_;
  std::unique_ptr<Strategy> nonlinear_;
};

}  // namespace

const Outcome* run_proximal_step(Strategy& part, const Task& task, Task inner,
                                 VerifiedClock::time_point started, bool first,
                                 VerifiedResult& all) {
  if (task.limits.time_limit > 0) {
    const double left = task.limits.time_limit - seconds_since(started) + all.verification_time;
    if (!first && left <= 0) return nullptr;
    inner.limits.time_limit = std::max(left, kLeastLimit);
  }
  const Outcome& outcome = part.run(inner);
  add_costs(outcome.result, all);
  // The measures of these tries belong to the proximal problem, not to the problem as posed.
  for (auto it = all.route.end() - std::ssize(outcome.result.route); it != all.route.end(); ++it) {
    it->solver = it->solver.str() + " on proximal step";
    it->measure = Residuals::kNone;
  }
  return &outcome;
}

std::unique_ptr<Strategy> make_proximal(const SolverExpression& e, const Workshop& workshop) {
  return std::make_unique<ProximalPoint>(e, workshop);
}

}  // namespace perp
