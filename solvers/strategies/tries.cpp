#include <perp/solvers/strategies/tries.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

namespace {

// Ends that a later try cannot change: solutions, proofs, and interruption by the caller.
bool ends(Status status) {
  return status == Status::kSolved || status == Status::kInfeasible ||
         status == Status::kInterrupted;
}

}  // namespace

void Tries::begin(const Task& task, bool all) {
  problem_ = &task.problem;
  time_limit_ = task.limits.time_limit;
  all_ = all;
  stop_if_excluded_ = task.stop_if_excluded;
  started_ = VerifiedClock::now();
  out_.clear();
  said_ = kRefused;
  first_ = true;
  tried_ = false;
  stopped_by_time_ = interrupted_ = false;
}

bool Tries::run(Strategy& part, const Task& task) {
  Task next = task;
  next.after_cap |= out_.capped;
  if (!first_) next.best = &out_.result;
  return run_apart(part, next);
}

bool Tries::run_apart(Strategy& part, const Task& task) {
  if (ended()) return true;
  if (out_of_time()) {
    stopped_by_time_ = true;
    return true;
  }
  Task next = task;
  next.limits.time_limit = time_left();
  tried_ = true;
  Outcome& outcome = part.run(next);
  judge_start(next, outcome);
  return take(outcome);
}

bool Tries::take(const Outcome& outcome) {
  tried_ = true;
  out_.capped |= outcome.capped;
  if (!outcome.skipped) take(outcome.result);
  return ended();
}

bool Tries::is_end(const Outcome& outcome) {
  return !outcome.skipped && said_by(outcome.result) == kEnded;
}

void Tries::charge(const VerifiedResult& work) { add_costs(work, out_.result); }

double Tries::time_left() const {
  return time_limit_ > 0 ? std::max(time_limit_ - used_time(), kLeastLimit) : 0.0;
}

Outcome& Tries::end() {
  out_.skipped = first_;
  if (first_) out_.drop_answer();
  VerifiedResult& result = out_.result;
  if (stopped_by_time_ && said_ < kExplained) {
    result.status = result.claimed = Status::kTimeLimit;
    result.refuted = false;
    result.message = "the time limit ended the list of tries";
  }
  return out_;
}

Tries::Said Tries::said_by(const VerifiedResult& r) {
  const bool checked = r.certificate && r.certificate->checked;
  if (ends(r.status) || (checked && r.certificate->type == "unbounded")) return kEnded;
  if (checked || r.status == Status::kExcluded) return kExplained;
  return r.status == Status::kUnsupported && r.answer.z.size() == 0 ? kRefused : kFailed;
}

bool Tries::ended() const {
  if (interrupted_) return true;
  const bool excluded = stop_if_excluded_ && out_.result.status == Status::kExcluded;
  return !all_ && !first_ && (said_ == kEnded || excluded);
}

double Tries::used_time() const { return seconds_since(started_) - out_.result.verification_time; }

bool Tries::out_of_time() const {
  return tried_ && time_limit_ > 0 && !(used_time() < time_limit_);
}

// Whether the next answer is better: any answer is better than none, and a smaller measure is
// better.
bool Tries::nearer(const VerifiedResult& next) const {
  const bool answered = has_answer(problem_->data, problem_->size(), next.answer);
  if (answered != has_answer(problem_->data, problem_->size(), out_.result.answer)) return answered;
  const double measure = next.verdict.measure, best = out_.result.verdict.measure;
  return measure < best || (std::isnan(best) && !std::isnan(measure));
}

void Tries::take(const VerifiedResult& next) {
  VerifiedResult& result = out_.result;
  const Said said = said_by(next);
  interrupted_ |= next.status == Status::kInterrupted;
  const bool solves = !all_ && next.status == Status::kSolved;
  const bool is_nearer = first_ || solves || nearer(next);
  if (first_ || said > said_ || (said == said_ && is_nearer)) {
    said_ = said;
    result.status = next.status;
    result.claimed = next.claimed;
    result.message = next.message;
    result.certificate = next.certificate;
  }
  if (is_nearer) {
    result.answer = next.answer;
    result.basis = next.basis;
    result.verdict = next.verdict;
    result.refuted = next.refuted;
    result.solutions = next.solutions;
    result.statistics = next.statistics;
  }
  add_costs(next, result);
  if (next.start != "nothing") result.start = next.start;
  first_ = false;
}

}  // namespace perp
