// Runs tries one after the other and sums them up in one outcome.
#pragma once

#include <perp/solvers/strategies/strategy.hpp>
#include <perp/solvers/verified_solve.hpp>

namespace perp {

/// Keeps the best answer of tries. Status, message and certificate come from the try that says
/// most. A proof says most, then another certificate, then the end of the try with the best answer;
/// a refusal says least.
class Tries {
 public:
  /// @param all run all parts, even if one solves the problem; else a solution or a proof is the
  /// end
  void begin(const Task& task, bool all);

  /// Runs a part with the time that is left, unless the tries have ended.
  /// @return whether the tries have ended
  bool run(Strategy& part, const Task& task);
  /// The same for a part that does not see the best answer of those before.
  bool run_apart(Strategy& part, const Task& task);
  /// Takes what a part has made of a task elsewhere, judged by judge_start().
  /// @return as run()
  bool take(const Outcome& outcome);
  /// Whether a later part cannot change this outcome: a solution, a proof, or an interruption.
  static bool is_end(const Outcome& outcome);

  /// Adds the costs of work for the next try.
  void charge(const VerifiedResult& work);
  /// Seconds that are left of the time limit, above 0; 0 if there is none.
  double time_left() const;

  /// The outcome of all tries.
  Outcome& end();

 private:
  enum Said { kRefused, kFailed, kExplained, kEnded };

  static Said said_by(const VerifiedResult& result);
  bool ended() const;
  double used_time() const;
  bool out_of_time() const;
  bool nearer(const VerifiedResult& next) const;
  void take(const VerifiedResult& next);

  const Problem* problem_ = nullptr;
  double time_limit_ = 0.0;
  bool all_ = false, stop_if_excluded_ = false;
  VerifiedClock::time_point started_;
  Outcome out_;
  Said said_ = kRefused;
  bool tried_ = false;            // a part has run, even if it was skipped
  bool first_ = true;             // no part has given a result yet
  bool stopped_by_time_ = false;  // before all parts have run
  bool interrupted_ = false;      // by the caller
};

}  // namespace perp
