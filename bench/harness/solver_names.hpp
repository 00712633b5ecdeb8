// Names of solvers as the command line takes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace perp {

/// NAME, a strategy (solvers/strategies/expression.hpp), exec:COMMAND or serve:COMMAND, or one of
/// these behind NAME=.
struct SolverName {
  std::string name;     ///< what results and reports show
  std::string command;  ///< of an external program
  bool external = false;
  bool kept = false;  ///< serve: it runs on from problem to problem
};

/// Whether a method, a peer or a plug-in has the name, or "auto" is meant.
bool is_solver_name(std::string_view name);

/// @throws std::invalid_argument if a solver cannot be called that: it is no name, or another has
/// it
void check_solver_name(std::string_view name);

/// A command may stand in double quotes, exec:"COMMAND", within which \" and \\ are " and \.
/// @throws std::invalid_argument where a name given to a program cannot be one.
SolverName read_solver_name(std::string_view text);

/// Splits at the commas that are neither in quotes nor in parentheses. @throws
/// std::invalid_argument: a quote that is not closed, an empty name, one name for two programs.
std::vector<std::string> split_solvers(const std::string& text);

}  // namespace perp
