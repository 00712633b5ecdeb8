// Child processes with limits.
#pragma once

#include <sys/types.h>
#include <functional>
#include <perp/bench/processes/memory_watch.hpp>
#include <string>
#include <string_view>

namespace perp {

/// How a child ended, and what it used.
struct ChildReport {
  enum class End { kExited, kSignalled, kKilledByLimit, kOutOfMemory, kInterrupted };
  End end = End::kExited;
  int code = 0;       ///< exit code or signal number
  double wall = 0.0;  ///< s
  double peak_memory_mb = 0.0;
  std::string output;       ///< text that it wrote to its pipe
  bool too_much = false;    ///< it was killed because it wrote more than 1 GiB
  std::string last_errors;  ///< Command: the end of its standard error
};

/// A running child with a pipe for its output. Move-only. The destructor kills the child.
class Child {
 public:
  Child() = default;
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  ~Child();

  /// Forks and runs `work(write_fd)` in the child, which then exits with its return value.
  /// @param wall_limit s, for each of `parts` (see next_part()); 0: none
  /// @param most_memory_mb limit, by MemoryWatch, on the resident memory beyond that of this
  /// process now; the address space may grow by twice as much; 0: none. In the child
  /// memory_limit_mb() returns it.
  /// @throws std::runtime_error if no process can be started
  static Child fork_and_run(const std::function<int(int write_fd)>& work, double wall_limit,
                            double most_memory_mb, int parts = 1);

  /// Call it when a part of the work is done: the time limit starts again, or a new one does (s).
  void next_part();
  void next_part(double wall_limit);
  /// From now on this limit on resident memory holds for the child with all that it starts.
  void watch_family(double most_memory_mb);

  /// Reads the output so far and waits up to `seconds`. @return whether the child has ended
  bool poll(double seconds);
  /// The report so far; complete once poll() has returned true.
  const ChildReport& report() const { return report_; }
  /// The output since the last call.
  std::string take_output();
  double peak_memory_mb() const { return memory_.peak_mb(); }
  /// Kills the child with all processes of its group.
  void kill();
  pid_t pid() const { return pid_; }
  /// The reading end of the pipe, for ::poll; -1 once the output has ended.
  int output() const { return fd_; }

 private:
  bool read_output();
  bool has_exited() const;
  void drain();
  bool reap(double seconds);
  void kill_if_beyond_limits();

  pid_t pid_ = -1;
  int fd_ = -1;
  double started_ = 0.0, part_started_ = 0.0, wall_limit_ = 0.0, killed_at_ = 0.0;
  bool limit_hit_ = false;
  MemoryWatch memory_;
  ChildReport report_;
};

/// Exit code by which a child says that it ran out of memory.
inline constexpr int kOutOfMemoryExit = 77;

/// From here on, a std::bad_alloc that cannot be caught ends this process with an exit code and a
/// line on the standard error. The destructor of a large JSON tree, for one, needs memory itself.
/// @param line kept, not copied; may be empty
void exit_without_memory(int code, std::string_view line);

/// The memory limit of this process, MB, if it is a child that was made with one; 0: none.
double memory_limit_mb();

}  // namespace perp
