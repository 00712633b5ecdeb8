// A time limit on long work.
#pragma once

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace perp {

/// Thrown by work that was not done at its deadline.
class DeadlinePassed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A limit on the seconds since the object was made; 0: no limit.
class Deadline {
 public:
  explicit Deadline(double limit = 0.0) : limit_(limit) {}
  bool passed() const { return limit_ > 0 && elapsed() > limit_; }
  double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  /// The seconds that are left, as a limit for another Deadline: 0 if there is no limit. If the
  /// time is used up it is a tiny number above 0, because 0 would mean no limit.
  double left() const {
    constexpr double kUsedUp = 1e-9;
    return limit_ > 0 ? std::max(limit_ - elapsed(), kUsedUp) : 0.0;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double limit_;
};

}  // namespace perp
