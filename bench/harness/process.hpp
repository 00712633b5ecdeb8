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
  enum class End { kExited, kSignalled, kKilledByLimit } end = End::kExited;
  int code = 0;       ///< exit code or signal number
  double wall = 0.0;  ///< seconds
  double peak_memory_mb = 0.0;
  std::string output;  ///< what it wrote
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
  void kill();

 private:
  void finish();
  void kill_if_late();

  pid_t pid_ = -1;
  int fd_ = -1;
  double started_ = 0.0, part_started_ = 0.0, wall_limit_ = 0.0;
  bool limit_hit_ = false;
  ChildReport report_;
};

/// Runs `sh -c command` with `input` on its standard input and collects its standard output.
/// @param environment variables that the command sees beside those of this process
ChildReport run_command(const std::string& command, const std::string& input, double wall_limit,
                        const std::vector<std::pair<std::string, std::string>>& environment = {});

/// Exit code of a child that ran out of memory.
inline constexpr int kOutOfMemoryExit = 77;

/// Seconds of a monotonic clock.
double now_seconds();

}  // namespace perp
