// A point in time by which long work is to end.
#pragma once

#include <chrono>
#include <stdexcept>

namespace perp {

/// Thrown by work that has met its deadline.
class DeadlinePassed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Deadline {
 public:
  Deadline() = default;  ///< none

  /// So many seconds from now; none where they are 0.
  static Deadline in(double seconds) {
    Deadline deadline;
    constexpr double kNever = 1e9;  // a duration that long would overflow
    if (seconds > 0 && seconds < kNever) {
      deadline.end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                         std::chrono::duration<double>(seconds));
    }
    return deadline;
  }
  bool passed() const { return end_ != Clock::time_point::max() && Clock::now() > end_; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point end_ = Clock::time_point::max();
};

}  // namespace perp
