// Child processes with limits.
#pragma once

#include <sys/types.h>
#include <functional>
#include <perp/bench/processes/memory_watch.hpp>
#include <string>

namespace perp {

/// What became of a child.
struct ChildReport {
  enum class End { kExited, kSignalled, kKilledByLimit, kOutOfMemory, kInterrupted };
  End end = End::kExited;
  int code = 0;       ///< exit code or signal number
  double wall = 0.0;  ///< seconds
  double peak_memory_mb = 0.0;
  std::string output;       ///< what it wrote
  bool too_much = false;    ///< it was killed because it wrote more than anybody wants
  std::string last_errors;  ///< run_command: the end of what it wrote to standard error
};

/// A running child whose output comes through a pipe. Move-only; killed when destroyed.
class Child {
 public:
  Child() = default;
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  ~Child();

  /// Forks and runs `work(write_fd)` in the child, which then exits with its return value.
  /// @param wall_limit seconds; 0: none. It is that of each of `parts`, see next_part()
  /// @param most_memory_mb resident memory beyond what this process has now, by MemoryWatch, and
  /// half of the address space beyond that; 0: none. In the child memory_limit_mb() tells it.
  static Child fork_and_run(const std::function<int(int write_fd)>& work, double wall_limit,
                            double most_memory_mb, int parts = 1);

  /// A part of the work is done: the limit begins anew, or another one does.
  void next_part();
  void next_part(double wall_limit);
  /// From now on the limit on memory holds for the child with all that it starts.
  void watch_family(double most_memory_mb);

  /// Reads what there is, waits up to `seconds`; true once the child has ended.
  bool poll(double seconds);
  const ChildReport& report() const { return report_; }
  /// What it has written since this was called last.
  std::string take_output();
  double peak_memory_mb() const { return memory_.peak_mb(); }
  /// With all that it has started.
  void kill();
  pid_t pid() const { return pid_; }
  /// The pipe's end, for ::poll; -1 once nothing more comes.
  int output() const { return fd_; }

 private:
  bool read_output();
  bool reap(double seconds);
  void kill_if_beyond_limits();

  pid_t pid_ = -1;
  int fd_ = -1;
  double started_ = 0.0, part_started_ = 0.0, wall_limit_ = 0.0, killed_at_ = 0.0;
  bool limit_hit_ = false;
  MemoryWatch memory_;
  ChildReport report_;
};

/// Exit code of a child that ran out of memory.
inline constexpr int kOutOfMemoryExit = 77;

/// The limit on memory of this process, if it is a child made with one; 0: none.
double memory_limit_mb();

}  // namespace perp
