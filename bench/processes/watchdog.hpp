// Ends the commands that perp started if perp itself is killed.
#pragma once

#include <sys/types.h>

namespace perp {

/// A small process that waits for the end of this process, for any reason, and then kills the
/// process groups that it watches. It is necessary because the signal at the death of a parent
/// reaches only the shell of a command, not the processes that the shell started. It is made when
/// first needed. A forked process has its own or none.
class Watchdog {
 public:
  /// Makes the watchdog if there is none. Must be called before the leader of a group is forked.
  static void start();
  /// Adds the process group of this process, a child of the one with the watchdog, to those that
  /// are killed. To be called before the child becomes another program: the parent may be killed
  /// as soon as that one runs.
  static void watch_this_group();
  /// Removes a process group from those that are killed.
  static void forget(pid_t group);
  /// Ends the watchdog of this process, if there is one, and kills what it watches. Called at the
  /// end of the process.
  static void stop();
};

}  // namespace perp
