// Runs shell commands with an input and a time limit, and leaves no process behind.
#pragma once

#include <memory>
#include <optional>
#include <perp/bench/processes/process.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perp {

/// Environment variables (name, value) for a command, besides those of this process.
using Environment = std::vector<std::pair<std::string, std::string>>;

/// A running `sh -c COMMAND`. Its standard error is passed on, and the last part of it is kept.
/// When the command ends, processes that it left running are killed. Command and processes are
/// killed at a limit, if interrupted(), when this object is destroyed and when
/// this process dies. The limit on memory of this process (memory_limit_mb) holds for the command
/// with all that it starts.
class Command {
 public:
  /// Starts the command. @throws std::runtime_error if no process can be started
  explicit Command(const std::string& command, const Environment& environment = {});
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  ~Command();

  /// Writes the input, closes the command's standard input, and waits until the command has ended.
  /// @param wall_limit s, from now on; 0: none
  ChildReport run(std::string_view input, double wall_limit);

  /// Writes a line and waits for a line. Both are without a line break.
  /// @param wall_limit s, for this line; 0: none
  /// @return nothing if the command has ended; then see report()
  std::optional<std::string> ask(std::string_view line, double wall_limit);

  /// Whether the command is still running.
  bool alive();
  /// Output of the command that was not asked for.
  std::string_view unasked() const { return written_; }
  /// Report on the command after its end; `output` is what came after the last line.
  ChildReport report();

  /// Closes the command's standard input. The command has one second to end by itself, then it is
  /// killed.
  void end();

 private:
  class Streams;
  bool step();
  void leave();

  std::unique_ptr<Streams> streams_;
  Child child_;
  pid_t group_ = -1;  // process group; -1 after its end
  bool interrupted_ = false;
  std::string input_, written_;
};

/// The text as a single word of the shell, quoted if necessary.
std::string shell_word(std::string_view text);

/// Largest resident memory of any command of this process with all that it started, MB. It is
/// measured only if the memory is limited.
double memory_of_commands();

}  // namespace perp
