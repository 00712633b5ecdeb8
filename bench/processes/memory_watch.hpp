// Measures the memory of a process and compares it with a limit.
#pragma once

#include <sys/types.h>

namespace perp {

/// Memory in MB, from /proc; zeros if the process has ended.
struct MemoryUse {
  double mapped = 0.0;    ///< address space
  double resident = 0.0;  ///< part that is in the machine's memory
};

/// @param process 0 means this process
MemoryUse memory_use(pid_t process);

/// Resident memory of a process with all processes that it started, MB. Shared memory counts for
/// each.
double resident_with_descendants(pid_t process);

/// Largest resident memory of this process since its start or since reset(), as the kernel counts
/// it: no peak is too short to be seen.
class PeakMemory {
 public:
  /// From now on earlier peaks do not count. @return false if the kernel cannot forget them
  static bool reset();
  static double mb();  ///< 0 if the kernel does not tell it
};

/// Checks the resident memory of a process from time to time. Address space that is reserved but
/// not used does not count, because runtimes such as those of Java, Julia and Go reserve much.
class MemoryWatch {
 public:
  MemoryWatch() = default;
  /// @param limit_mb 0: no checks
  /// @param before_mb memory that a forked process has from its parent; it does not count
  MemoryWatch(pid_t process, bool with_descendants, double limit_mb, double before_mb = 0.0);

  bool watches() const { return limit_mb_ > 0; }
  /// Checks again if kInterval has passed. @return whether any check found too much
  bool exceeded();
  double peak_mb() const { return peak_mb_; }
  double before_mb() const { return before_mb_; }

  /// s between two checks
  static constexpr double kInterval = 0.02;

 private:
  pid_t process_ = -1;
  bool with_descendants_ = false, exceeded_ = false;
  double limit_mb_ = 0.0, before_mb_ = 0.0, peak_mb_ = 0.0, looked_ = 0.0;
};

/// Time of a monotonic clock, s.
double now_seconds();

}  // namespace perp
