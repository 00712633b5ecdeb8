// How much memory a process has, and whether it is too much.
#pragma once

#include <sys/types.h>

namespace perp {

/// In MB, from /proc; zeros of a process that is gone.
struct MemoryUse {
  double mapped = 0.0;    ///< address space
  double resident = 0.0;  ///< what it holds of the machine's memory
};

/// @param process 0: this one
MemoryUse memory_use(pid_t process);

/// Resident MB of a process with all that it has started; what they share counts for each.
double resident_with_descendants(pid_t process);

/// Looks at the resident memory of a process from time to time. An address space that is reserved
/// and not used counts nothing, so runtimes that reserve much (of Java, Julia, Go) can be watched.
class MemoryWatch {
 public:
  MemoryWatch() = default;
  /// @param limit_mb 0: nothing is looked at
  /// @param before_mb what it has without having asked for it, of a forked process
  MemoryWatch(pid_t process, bool with_descendants, double limit_mb, double before_mb = 0.0);

  bool watches() const { return limit_mb_ > 0; }
  /// Looks again, unless it has just done so. @return whether there was too much at any look
  bool exceeded();
  double peak_mb() const { return peak_mb_; }

  /// s from look to look
  static constexpr double kInterval = 0.02;

 private:
  pid_t process_ = -1;
  bool with_descendants_ = false, exceeded_ = false;
  double limit_mb_ = 0.0, before_mb_ = 0.0, peak_mb_ = 0.0, looked_ = 0.0;
};

/// Seconds of a monotonic clock.
double now_seconds();

}  // namespace perp
