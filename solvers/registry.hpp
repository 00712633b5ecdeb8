// All methods, by name.
#pragma once

#include <functional>
#include <memory>
#include <perp/solvers/core/solver.hpp>
#include <vector>

namespace perp {

/// Makes a solver. Every method has one line in registry.cpp; all other code takes the list from
/// solver_registry().
using SolverFactory = std::function<std::unique_ptr<Solver>()>;
/// All methods, in the order of the list.
const std::vector<SolverFactory>& solver_registry();

/// A method by its name, "auto", or an expression (docs/reference/strategies.md).
/// @throws std::invalid_argument if there is no method of that name (the text lists all methods),
/// or if the expression is wrong.
std::unique_ptr<Solver> make_solver(std::string_view name);

}  // namespace perp
