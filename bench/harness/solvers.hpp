// Solvers by the names that the command line takes.
#pragma once

#include <memory>
#include <perp/solvers/core/solver.hpp>
#include <string>
#include <utility>
#include <vector>

namespace perp {

/// A registered solver, a peer whose program is there, or "exec:COMMAND".
/// @throws std::invalid_argument where the name is none of these.
std::unique_ptr<Solver> make_any_solver(std::string_view name);

/// Throws like make_any_solver ("auto" is fine) and like set_setting.
void check_solver(std::string_view name,
                  const std::vector<std::pair<std::string, std::string>>& settings);

/// The solver that the steps of a formulation are solved with where no other is asked for: lemke
/// for linear problems, auto for others. @throws std::invalid_argument: unknown formulation
std::string step_solver(const std::string& formulation);

}  // namespace perp
