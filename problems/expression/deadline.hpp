// A time limit on long work.
#pragma once

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
  bool passed() const {
    if (!(limit_ > 0)) return false;
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    return elapsed.count() > limit_;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double limit_;
};

}  // namespace perp
