// Every method, by name.
#pragma once

#include <functional>
#include <memory>
#include <perp/solvers/core/solver.hpp>
#include <vector>

namespace perp {

/// Makes a solver. One line each in registry.cpp; everything else that needs the list reads it from
/// here.
using SolverFactory = std::function<std::unique_ptr<Solver>()>;
const std::vector<SolverFactory>& solver_registry();

/// A method by its name, "auto", or an expression (docs/reference/strategies.md).
/// @throws std::invalid_argument where there is none of that name; the text lists those there are.
std::unique_ptr<Solver> make_solver(std::string_view name);

}  // namespace perp
