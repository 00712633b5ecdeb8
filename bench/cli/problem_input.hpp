// The problem that a verb takes: its file, and how that is read.
#pragma once

#include <perp/problems/io/part_files.hpp>
#include <perp/problems/standard/problem.hpp>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace perp::cli {

/// What the command line says of it. Options of verbs derive from it.
struct ProblemInput {
  std::string file;             ///< "-" for standard input
  std::string from;             ///< format, "" to go by the ending
  std::string q, lower, upper;  ///< files beside a matrix M, or ""

  /// @throws InputError
  Problem read_input() const;
  /// The files that read_input() reads. @throws InputError
  std::vector<std::string> input_files() const;

 private:
  PartFiles beside_matrix() const;
};

/// Adds the argument FILE (or `name`) and the options --from, --q, --lower and --upper.
void add_problem_input(CLI::App& verb, ProblemInput& input, const std::string& name = "FILE");

}  // namespace perp::cli
