// Commands of the shell that are given input and a time, and are gone afterwards.
#pragma once

#include <memory>
#include <optional>
#include <perp/bench/processes/process.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perp {

/// Variables that a command sees beside those of this process.
using Environment = std::vector<std::pair<std::string, std::string>>;

/// A running `sh -c COMMAND`. What it writes to standard error is passed on, and its end kept. What
/// it leaves running is killed when it ends, and all of it at a limit, at a signal that
/// InterruptGuard notes, when this object goes, and when this process dies. It may have the memory
/// that this process may have (memory_limit_mb), with all that it starts.
class Command {
 public:
  explicit Command(const std::string& command, const Environment& environment = {});
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  ~Command();

  /// Gives it the input and then no more, and waits until it has ended.
  /// @param wall_limit seconds from its start; 0: none
  ChildReport run(std::string_view input, double wall_limit);

  /// Gives it a line and waits for a line, both without their ends.
  /// @param wall_limit seconds for this line; 0: none
  /// @return nothing if it has ended, for then there is no other line; report() tells how
  std::optional<std::string> ask(std::string_view line, double wall_limit);

  /// Whether it still runs.
  bool alive();
  /// What it has written that nobody has asked for.
  std::string_view unasked() const { return written_; }
  /// Of what has ended; `output` is what came after the last line.
  ChildReport report();

  /// No more input comes; it has a second to end by itself.
  void end();

 private:
  class Streams;
  bool step();
  void leave();

  std::unique_ptr<Streams> streams_;
  Child child_;
  pid_t group_ = -1;  // until it has ended
  bool interrupted_ = false;
  std::string input_, written_;
};

/// A text as one word of the shell.
std::string shell_word(std::string_view text);

/// Resident MB that a command of this process, with all that it had started, has had at most; known
/// if the memory is limited.
double memory_of_commands();

}  // namespace perp
