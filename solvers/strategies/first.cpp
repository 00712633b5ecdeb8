// In turn until one gets through, and all of them for the best.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <perp/solvers/strategies/strategy.hpp>
#include <perp/solvers/verified_solve.hpp>
#include <utility>

namespace perp {

namespace {

// The tries so far: the best answer, and what is to be said of it.
class Tries {
 public:
  Tries(const Task& task, bool all) : task_(task), all_(all) {}

  // @return whether there is nothing left to do
  bool run(const SolverExpression& part, const std::map<std::string, double>& names) {
    if (ended()) return true;
    if (out_of_time()) {
      stopped_by_time_ = true;
      return true;
    }
    Task next = task_;
    next.names = names;
    next.after_cap |= out_.capped;
    if (!first_) next.best = &out_.result.answer;
    if (task_.request.limits.time_limit > 0)
      next.request.limits.time_limit =
          std::max(task_.request.limits.time_limit - used_time(), kLeastLimit);
    Outcome outcome = run_expression(part, next);
    out_.capped |= outcome.capped;
    if (!outcome.skipped) take(std::move(outcome.result));
    return ended();
  }

  Outcome outcome() {
    out_.skipped = first_;
    VerifiedResult& result = out_.result;
    if (stopped_by_time_ && said_ < kExplained) {
      result.status = result.claimed = Status::kTimeLimit;
      result.refuted = false;
      result.message = "the time limit ended the list of tries";
    }
    return std::move(out_);
  }

 private:
  // What a try has to say of the problem: the more, the less a nearer answer changes it.
  enum Said { kRefused, kFailed, kExplained, kEnded };

  static Said said_by(const VerifiedResult& r) {
    const bool checked = r.certificate && r.certificate->checked;
    if (ends(r.status) || (checked && r.certificate->type == "unbounded")) return kEnded;
    if (checked || r.status == Status::kExcluded) return kExplained;
    return r.status == Status::kUnsupported && r.answer.z.size() == 0 ? kRefused : kFailed;
  }

  // What a later try cannot change: proofs, and the caller's own limits.
  static bool ends(Status status) {
    return status == Status::kSolved || status == Status::kInfeasible ||
           status == Status::kInterrupted;
  }

  bool ended() const { return !all_ && !first_ && said_ == kEnded; }

  double used_time() const { return seconds_since(started_) - out_.result.verification_time; }

  bool out_of_time() const {
    const double limit = task_.request.limits.time_limit;
    return !first_ && limit > 0 && !(used_time() < limit);
  }

  // An answer is better than none, and the smaller measure is the better one.
  bool nearer(const VerifiedResult& next) const {
    const Problem& problem = task_.problem;
    const bool answered = has_answer(problem.data, problem.size(), next.answer);
    if (answered != has_answer(problem.data, problem.size(), out_.result.answer)) return answered;
    const double measure = next.verdict.measure, best = out_.result.verdict.measure;
    return measure < best || (std::isnan(best) && !std::isnan(measure));
  }

  // Keeps the better answer, and the words of the try that has most to say: proofs, then other
  // certificates, then how the nearest try ended, and last that it was refused.
  void take(VerifiedResult next) {
    VerifiedResult& result = out_.result;
    const Said said = said_by(next);
    const bool solves = !all_ && next.status == Status::kSolved;
    const bool is_nearer = first_ || solves || nearer(next);
    if (first_ || said > said_ || (said == said_ && is_nearer)) {
      said_ = said;
      result.status = next.status;
      result.claimed = next.claimed;
      result.message = next.message;
      result.certificate = std::move(next.certificate);
    }
    if (is_nearer) {
      result.answer = std::move(next.answer);
      result.verdict = next.verdict;
      result.refuted = next.refuted;
      result.solutions = std::move(next.solutions);
      result.statistics = std::move(next.statistics);
    }
    result.setup_time += next.setup_time;
    result.solve_time += next.solve_time;
    result.verification_time += next.verification_time;
    result.iterations += next.iterations;
    result.own_times |= next.own_times;
    if (next.start != "nothing") result.start = next.start;
    std::move(next.route.begin(), next.route.end(), std::back_inserter(result.route));
    first_ = false;
  }

  const Task& task_;
  bool all_;
  VerifiedClock::time_point started_ = VerifiedClock::now();
  Outcome out_;
  Said said_ = kRefused;
  bool first_ = true;
  bool stopped_by_time_ = false;  // before the list was done
};

Outcome in_turn(const SolverExpression& e, const Task& task, bool all) {
  Tries tries(task, all);
  for (const SolverExpression& part : e.parts) {
    if (tries.run(part, task.names)) break;
  }
  return tries.outcome();
}

}  // namespace

Outcome run_first(const SolverExpression& e, const Task& task) { return in_turn(e, task, false); }

Outcome run_best(const SolverExpression& e, const Task& task) { return in_turn(e, task, true); }

Outcome run_repeat(const SolverExpression& e, const Task& task) {
  const double times = number_of(e, "times", task).value_or(1.0);
  Tries tries(task, false);
  std::map<std::string, double> names = task.names;
  for (int k = 1; k <= times; ++k) {
    names["k"] = k;
    if (tries.run(e.parts.front(), names)) break;
  }
  return tries.outcome();
}

}  // namespace perp
