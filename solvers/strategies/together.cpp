// together: first() of parts that know nothing of one another, on several threads at the same time.
#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <perp/solvers/linear_algebra/thread_team.hpp>
#include <perp/solvers/strategies/tries.hpp>

namespace perp {

namespace {

// The first part whose outcome ends the tries; parts after it need not go on.
class FirstEnd {
 public:
  bool is_before(std::size_t k) const { return at_ < k; }
  void note(std::size_t k) {
    std::size_t last = at_;
    while (k < last && !at_.compare_exchange_weak(last, k)) {
    }
  }

 private:
  std::atomic<std::size_t> at_ = std::numeric_limits<std::size_t>::max();
};

// Stops a part that need not go on. The caller's observer is called by one thread at a time.
class Watch final : public Observer {
 public:
  Watch(const FirstEnd& end, std::size_t part, Observer* caller, std::mutex& callers)
      : end_(end), part_(part), caller_(caller), callers_(callers) {}

  bool on_iteration(const IterationRecord& record) override {
    if (end_.is_before(part_)) return false;
    if (!caller_) return true;
    const std::scoped_lock lock(callers_);
    return caller_->on_iteration(record);
  }

 private:
  const FirstEnd& end_;
  std::size_t part_;
  Observer* caller_;
  std::mutex& callers_;
};

class Together final : public Strategy {
 public:
  Together(const SolverExpression& e, const Workshop& workshop) {
    if (workshop.on_demand) workshop_ = workshop;
    for (const SolverExpression& part : e.parts) {
      parts_.push_back({&part});
      if (!workshop.on_demand) parts_.back().built = workshop.build(part);
    }
  }

  Outcome& run(const Task& task) override {
    tries_.begin(task, false);
    if (task.limits.threads > 1 && parts_.size() > 1) return run_on_threads(task);
    for (Part& part : parts_) {
      if (tries_.run_apart(built(part), task)) break;
    }
    return tries_.end();
  }

 private:
  struct Part {
    const SolverExpression* expression;  // if it is not built yet
    std::unique_ptr<Strategy> built = nullptr;
    const Outcome* outcome = nullptr;  // of this task, if it has run
    std::exception_ptr fault = nullptr;
  };

  Strategy& built(Part& part) {
    if (!part.built) part.built = workshop_.build(*part.expression);
    return *part.built;
  }

  Outcome& run_on_threads(const Task& task) {
    const auto started = VerifiedClock::now();
    for (Part& part : parts_) {
      built(part);
      part.outcome = nullptr;
      part.fault = nullptr;
    }
    run_parts(task, started);
    for (Part& part : parts_) {
      if (part.fault) std::rethrow_exception(part.fault);
      // One that has not run, for want of time, is only noted.
      if (part.outcome ? tries_.take(*part.outcome) : tries_.run_apart(*part.built, task)) break;
    }
    Outcome& out = tries_.end();
    count_by_the_clock(seconds_since(started), out.result);
    return out;
  }

  // Every thread takes the next part until one ends the tries or the time is over.
  void run_parts(const Task& task, VerifiedClock::time_point started) {
    const double limit = task.limits.time_limit;
    FirstEnd end;
    std::mutex callers;
    std::atomic<std::size_t> next = 0;
    const auto run_one = [&](std::size_t k) {
      Watch watch(end, k, task.observer, callers);
      Task one = task;
      one.observer = &watch;
      one.limits.threads = 1;
      one.limits.time_limit = tries_.time_left();
      try {
        Outcome& outcome = parts_[k].built->run(one);
        judge_start(one, outcome);
        parts_[k].outcome = &outcome;
        if (Tries::is_end(outcome)) end.note(k);
      } catch (...) {
        parts_[k].fault = std::current_exception();
        end.note(k);
      }
    };
    ThreadTeam team(
        static_cast<int>(std::min(parts_.size(), static_cast<std::size_t>(task.limits.threads))));
    team.run([&](int) {
      for (std::size_t k = next++; k < parts_.size() && !end.is_before(k); k = next++) {
        if (k > 0 && limit > 0 && seconds_since(started) >= limit) return;
        run_one(k);
      }
    });
  }

  // Times of parts that ran beside each other sum up to more than what has passed.
  static void count_by_the_clock(double seconds, VerifiedResult& r) {
    const double sum = r.setup_time + r.solve_time + r.verification_time;
    if (!(sum > seconds)) return;
    for (double* time : {&r.setup_time, &r.solve_time, &r.verification_time})
      *time *= seconds / sum;
  }

  Workshop workshop_;  // builds parts on demand
  std::vector<Part> parts_;
  Tries tries_;
};

}  // namespace

std::unique_ptr<Strategy> make_together(const SolverExpression& e, const Workshop& workshop) {
  return std::make_unique<Together>(e, workshop);
}

}  // namespace perp
