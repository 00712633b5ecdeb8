// Solvers that are added, by name, by a program that uses perp as a library.
#pragma once

#include <memory>
#include <perp/solvers/registry.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perp {

/// A solver that make_any_solver() knows besides those of perp, once it is registered.
struct RegisteredSolver {
  std::string name;    ///< letters, digits, '.', '_' and '-', a letter first
  SolverFactory make;  ///< the solvers that it makes must have this name in their traits
  std::string hash;  ///< hash of what its answers depend on (its source), for records; may be empty
  std::string imported = {};  ///< Python file that `python3 -m perp --import` ran for it; or empty
};

/// Registers a solver. One that is registered with the same name is replaced, but lives on, as
/// other threads may still use it. @throws std::invalid_argument if the name is not allowed or
/// another solver has it
void register_solver(RegisteredSolver solver);

/// All registered solvers, in the order in which they were registered.
std::vector<const RegisteredSolver*> registered_solvers();
/// The registered solver of that name, or nullptr.
const RegisteredSolver* find_registered_solver(std::string_view name);

}  // namespace perp
