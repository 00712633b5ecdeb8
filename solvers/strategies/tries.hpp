// Tries, one after the other, and what is to be said of them all.
#pragma once

#include <perp/solvers/strategies/strategy.hpp>
#include <perp/solvers/verified_solve.hpp>

namespace perp {

/// Keeps the best answer of tries. What it tells is the word of the try that has most to say:
/// proofs, then other certificates, then how the nearest try ended, and last that it was refused.
class Tries {
 public:
  /// @param all even if one solves the problem; else that, or a proof, is the end
  void begin(const Task& task, bool all);

  /// Runs a part, from what is left of the time, unless the end has come.
  /// @return whether there is nothing left to do
  bool run(Strategy& part, const Task& task);

  /// What has come of them.
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
  bool all_ = false;
  VerifiedClock::time_point started_;
  Outcome out_;
  Said said_ = kRefused;
  bool tried_ = false;            // something, even if it was skipped
  bool first_ = true;             // nothing has come of it yet
  bool stopped_by_time_ = false;  // before the list was done
};

}  // namespace perp
