// Ctrl-C and kill as a request to stop soon and keep the results so far.
#pragma once

#include <perp/solvers/core/observer.hpp>

namespace perp {

/// While an object exists, SIGINT, SIGTERM and SIGHUP are noted and do not end the process at once.
/// Signals that are ignored, as under nohup, stay ignored. A second signal, at least half a second
/// later, ends the process. If guards are nested, only the outermost has an effect.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

/// The signal that was noted; 0 if none.
int interrupt_signal();

/// What else ends the wait for a program: true ends it. Python has its own signals. It is not asked
/// in processes that were forked after this call.
void set_interrupt_probe(bool (*probe)());
/// Whether a signal was noted, or the probe says so.
bool interrupted();

/// Ends a solve as interrupted if a signal was noted.
class InterruptObserver : public Observer {
 public:
  bool on_iteration(const IterationRecord&) override { return interrupt_signal() == 0; }
};

/// Ends this process by the signal, as if it had not been noted. A shell then knows that it must
/// end its loop, too; the exit status is 128 + signal.
[[noreturn]] void end_by_signal(int signal);

}  // namespace perp
