// A time limit on long work.
#pragma once

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace perp {

/// Thrown by work that has met its deadline.
class DeadlinePassed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Seconds since it was made, against a limit; 0: none.
class Deadline {
 public:
  explicit Deadline(double limit = 0.0) : limit_(limit) {}
  bool passed() const { return limit_ > 0 && elapsed() > limit_; }
  double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  /// What is left as a limit of its own: 0 if there is none, above 0 also if it is used up.
  double left() const {
    constexpr double kUsedUp = 1e-9;
    return limit_ > 0 ? std::max(limit_ - elapsed(), kUsedUp) : 0.0;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double limit_;
};

}  // namespace perp
