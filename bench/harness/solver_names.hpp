// Names of solvers as the command line accepts them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace perp {

/// NAME, a strategy (solvers/strategies/expression.hpp), exec:COMMAND or serve:COMMAND. Any of
/// these may follow NAME=.
struct SolverName {
  std::string name;     ///< name in results and reports
  std::string command;  ///< of an external program
  bool external = false;
  bool kept = false;  ///< serve: the program keeps running from problem to problem
};

/// Whether it is "auto" or the name of a method, a peer or a plug-in.
bool is_solver_name(std::string_view name);

/// @throws std::invalid_argument if a solver cannot be called that: it is no name, or another has
/// it
void check_solver_name(std::string_view name);

/// A command may be in double quotes, exec:"COMMAND"; inside them \" and \\ mean " and \.
/// @throws std::invalid_argument if the name given to a program is not allowed
SolverName read_solver_name(std::string_view text);

/// Splits at commas outside of quotes and parentheses. @throws std::invalid_argument if a quote is
/// not closed, a name is empty or two programs have the same name
std::vector<std::string> split_solvers(const std::string& text);

}  // namespace perp
