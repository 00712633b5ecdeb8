// polish: an answer that is nearly right only needs its active set, not another method.
#include <perp/problems/standard/reductions.hpp>
#include <perp/solvers/active_set/active_set_polish.hpp>
#include <perp/solvers/interior_point/conic_polish.hpp>
#include <perp/solvers/strategies/strategy.hpp>
#include <perp/solvers/verified_solve.hpp>

#include <algorithm>

namespace perp {

namespace {

constexpr double kNearlySolved = 1e-4;  // largest measure worth polishing, for data of size 1
constexpr double kPolished = 1e-3;      // share of the tolerance; below, there is nothing to gain
constexpr int kConicSteps = 10;         // Newton steps on the faces of cones

// The largest measure that counts as nearly solved. It grows with b and c, as rounding errors do.
double nearly_solved(const Task& task) {
  const auto* conic = std::get_if<ConicQp>(&task.problem.data);
  double unit = 1.0;
  for (const Vector* v : {conic ? &conic->b : nullptr, conic ? &conic->c : nullptr}) {
    if (v && v->size() > 0) unit = std::max(unit, v->lpNorm<Eigen::Infinity>());
  }
  return kNearlySolved * unit;
}

// States an lcp, mlcp or box_qp as an mlcp.
class BoxForm {
 public:
  // @return nullptr for other kinds
  const Mlcp* of(const Task& task) {
    if (const auto* mlcp = std::get_if<Mlcp>(&task.problem.data)) return mlcp;
    const auto* lcp = std::get_if<Lcp>(&task.problem.data);
    const auto* qp = std::get_if<BoxQp>(&task.problem.data);
    if (!lcp && !qp) return nullptr;
    if (task.version != version_ || form_.size() == 0) {
      form_ = lcp ? to_mlcp(*lcp) : to_mlcp(*qp);
      version_ = task.version;
    }
    return &form_;
  }

 private:
  Mlcp form_;
  Version version_;
};

class Polish final : public Strategy {
 public:
  Polish(const SolverExpression& e, const Workshop& workshop)
      : part_(workshop.build(e.parts.front())) {}

  Outcome& run(const Task& task) override {
    const auto started = VerifiedClock::now();
    Outcome& out = part_->run(task);
    VerifiedResult& result = out.result;
    if (out.skipped) return out;
    const double limit = task.limits.time_limit;
    if (limit > 0 && seconds_since(started) - result.verification_time >= limit) return out;
    const bool is_start = result.route.empty();  // the start itself, not verified yet
    const bool settled = result.status == Status::kSolved || result.status == Status::kInfeasible ||
                         result.status == Status::kExcluded ||
                         result.status == Status::kInterrupted;
    if (!is_start && (settled || !(result.verdict.measure <= nearly_solved(task)))) return out;
    const auto* conic = std::get_if<ConicQp>(&task.problem.data);
    const Mlcp* form = form_.of(task);
    if (!form && (!conic || !has_answer(task.problem.data, task.problem.size(), result.answer)))
      return out;
    polish(task, form, conic, result.answer);
    if (is_start) {
      polished_.result.start = result.start;
      return polished_;
    }
    keep_better(result);
    return out;
  }

 private:
  void polish(const Task& task, const Mlcp* form, const ConicQp* conic, const Answer& answer) {
    const auto started = VerifiedClock::now();
    const double tolerance = task.limits.tolerance;
    polished_.clear();
    VerifiedResult& r = polished_.result;
    r.answer = answer;
    const double target = kPolished * tolerance;
    const double measure =
        form ? polishing_.improve(*form, tolerance, target, r.answer.z)
             : conic_polishing_.improve(*conic, target, kConicSteps, r.answer.z, r.answer.dual);
    r.claimed = measure <= tolerance ? Status::kSolved : Status::kStalled;
    r.solve_time = seconds_since(started);
    r.iterations = form ? polishing_.factorisations : conic_polishing_.steps;
    r.statistics.emplace_back("factorisations", r.iterations);
    check_answer(task.problem, task.verify_at, r, task.all_residuals);
    r.status = judge(r.claimed, r.verdict);
    r.refuted = r.status == Status::kWrong;
    r.route.push_back(
        {name_, r.status, r.claimed, r.iterations, r.solve_time, "", {}, r.verdict.measure});
  }

  void keep_better(VerifiedResult& result) const {
    const VerifiedResult& polished = polished_.result;
    if (polished.status == Status::kSolved || polished.verdict.measure < result.verdict.measure) {
      result.answer = polished.answer;
      result.verdict = polished.verdict;
      result.refuted = polished.refuted;
      result.status = polished.status;
      result.claimed = polished.claimed;
      result.message = polished.message;
      result.certificate.reset();
      result.solutions.clear();
      result.basis.clear();
    }
    add_costs(polished, result);
  }

  const SharedText name_ = "polish";
  std::unique_ptr<Strategy> part_;
  BoxForm form_;
  ActiveSetPolish polishing_;
  ConicPolish conic_polishing_;
  Outcome polished_;
};

}  // namespace

std::unique_ptr<Strategy> make_polish(const SolverExpression& e, const Workshop& workshop) {
  return std::make_unique<Polish>(e, workshop);
}

}  // namespace perp
