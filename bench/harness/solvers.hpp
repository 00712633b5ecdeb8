// Solvers by the names that the command line takes, and their settings.
#pragma once

#include <memory>
#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/method_settings.hpp>
#include <string>
#include <utility>
#include <vector>

namespace perp {

/// A registered solver, a peer whose program is there, "exec:COMMAND" or "NAME=exec:COMMAND".
/// @throws std::invalid_argument where the name is none of these.
std::unique_ptr<Solver> make_any_solver(std::string_view name);

/// Whether the solver of that name is a program of its own: a peer or an external one.
bool is_program(std::string_view name);

/// Of the settings those that a solver has; an expression or auto those that a method in it has.
/// Every solver has `reduction` (SolveRequest::settings).
SettingTexts settings_of(std::string_view solver, const SettingTexts& settings);

/// Checks names and values before any work: values are tried on problems with an unknown or three.
/// @throws std::invalid_argument: an unknown solver, a setting that none of the solvers has, a
/// value that one which has it does not take.
void check_solvers(const std::vector<std::string>& solvers, const SettingTexts& settings);

}  // namespace perp
