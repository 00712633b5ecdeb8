// Ends the commands that perp has started if perp itself is killed.
#pragma once

#include <sys/types.h>

namespace perp {

/// A small process that waits for the end of this one, however it comes, and then kills the process
/// groups it was told of: a signal at the parent's death reaches only the shell of a command, not
/// what the shell has started. Made when it is first needed; of a forked process none or its own.
class Watchdog {
 public:
  /// Makes the watchdog if there is none yet; before a group's leader is forked.
  static void start();
  static void watch(pid_t group);
  static void forget(pid_t group);
  /// Ends it, if this process has one; what it watches is killed. At the end of a process.
  static void stop();
};

}  // namespace perp
