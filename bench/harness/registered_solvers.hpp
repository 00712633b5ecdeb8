// Solvers that a program which uses perp as a library brings along, by name.
#pragma once

#include <memory>
#include <perp/solvers/registry.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perp {

/// A solver that make_any_solver() knows beside those of perp, from when it is registered.
struct RegisteredSolver {
  std::string name;    ///< letters, digits, '.', '_' and '-', a letter first
  SolverFactory make;  ///< what it makes must have this name in its traits
  std::string hash;    ///< of what its answers depend on (its source), for records; may be empty
};

/// Registers a solver; one that was registered under the same name is replaced. Not to be called
/// while others solve. @throws std::invalid_argument: the name is none, or another solver has it
void register_solver(RegisteredSolver solver);

/// In the order in which they were registered.
const std::vector<std::unique_ptr<RegisteredSolver>>& registered_solvers();
const RegisteredSolver* find_registered_solver(std::string_view name);

}  // namespace perp
