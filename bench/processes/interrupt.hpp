// Ctrl-C and kill as a wish to end soon, with what there is.
#pragma once

#include <perp/solvers/core/observer.hpp>

namespace perp {

/// While one exists, SIGINT, SIGTERM and SIGHUP are noted instead of ending the process at once
/// (those that are ignored, as under nohup, stay so). A second one, half a second later or more,
/// ends the process. Of several within each other the outermost counts.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

/// The signal that was noted; 0: none.
int interrupt_signal();

/// Ends a solve when a signal was noted.
class InterruptObserver : public Observer {
 public:
  bool on_iteration(const IterationRecord&) override { return interrupt_signal() == 0; }
};

/// Ends this process by the signal, as if it had never been noted: a shell then knows that its loop
/// is to end, too, and the exit status is 128 + signal.
[[noreturn]] void end_by_signal(int signal);

}  // namespace perp
