// The time limit of what a thread does now.
#pragma once

#include <atomic>
#include <perp/problems/limits/deadline.hpp>

namespace perp {

/// While an object exists, the deadline is that of the work of this thread. It is for libraries
/// that call back from long work but pass no argument on (SparseLu). Objects nest: the work of an
/// inner one also ends at the deadlines of those around it.
class CurrentDeadline {
 public:
  /// @param deadline must live as long as the object
  explicit CurrentDeadline(const Deadline& deadline) : deadline_(deadline), outer_(current_) {
    current_ = this;
  }
  ~CurrentDeadline() { current_ = outer_; }
  CurrentDeadline(const CurrentDeadline&) = delete;
  CurrentDeadline& operator=(const CurrentDeadline&) = delete;

  /// Whether the work should end: a deadline has passed, or it is interrupted.
  static bool passed() {
    for (const CurrentDeadline* c = current_; c; c = c->outer_) {
      if (c->deadline_.passed()) return true;
    }
    return interrupted();
  }
  /// Whether the probe says so.
  static bool interrupted() {
    const Probe probe = probe_;
    return probe && probe();
  }

  using Probe = bool (*)();
  /// What else ends long work, in all threads, which call it at the same time; nullptr: nothing.
  static void set_probe(Probe probe) { probe_ = probe; }

 private:
  const Deadline& deadline_;
  const CurrentDeadline* outer_;
  static inline thread_local const CurrentDeadline* current_ = nullptr;
  static inline std::atomic<Probe> probe_ = nullptr;
};

}  // namespace perp
