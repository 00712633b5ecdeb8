// Child processes with limits.
#pragma once

#include <sys/types.h>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace perp {

/// What became of a child.
struct ChildReport {
  enum class End { kExited, kSignalled, kKilledByLimit, kInterrupted } end = End::kExited;
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
  /// @param memory_limit_mb address space beyond what is mapped already; 0: none
  static Child fork_and_run(const std::function<int(int write_fd)>& work, double wall_limit,
                            double memory_limit_mb, int parts = 1);

  /// A part of the work is done: the limit begins anew.
  void next_part();

  /// Reads what there is, waits up to `seconds`; true once the child has ended.
  bool poll(double seconds);
  const ChildReport& report() const { return report_; }
  /// With all that it has started.
  void kill();
  pid_t pid() const { return pid_; }
  /// The pipe's end, for ::poll; -1 once nothing more comes.
  int output() const { return fd_; }

 private:
  bool read_output();
  bool reap(double seconds);
  void kill_if_late();

  pid_t pid_ = -1;
  int fd_ = -1;
  double started_ = 0.0, part_started_ = 0.0, wall_limit_ = 0.0, killed_at_ = 0.0;
  bool limit_hit_ = false;
  ChildReport report_;
};

/// Runs `sh -c command` with `input` on its standard input and collects its standard output; what
/// it writes to standard error is passed on, and its end kept. What it leaves running is killed
/// when it ends, and all of it at the limit, at a signal that InterruptGuard notes, and when this
/// process dies.
/// @param environment variables that the command sees beside those of this process
ChildReport run_command(const std::string& command, const std::string& input, double wall_limit,
                        const std::vector<std::pair<std::string, std::string>>& environment = {});

/// Exit code of a child that ran out of memory.
inline constexpr int kOutOfMemoryExit = 77;

/// Seconds of a monotonic clock.
double now_seconds();

}  // namespace perp
