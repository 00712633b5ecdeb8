// Solvers by the names that the command line accepts, and their settings.
#pragma once

#include <memory>
#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/method_settings.hpp>
#include <string>
#include <utility>
#include <vector>

namespace perp {

/// A registered solver, a peer whose program is there, "exec:COMMAND" or "NAME=exec:COMMAND".
/// @throws std::invalid_argument if the name is none of these
std::unique_ptr<Solver> make_any_solver(std::string_view name);

/// Whether the solver of that name is a separate program: a peer or an external one.
bool is_program(std::string_view name);

/// Those of the settings that the solver has. An expression or auto has the settings of its
/// methods. Every solver has `reduction` (SolveRequest::settings).
SettingTexts settings_of(std::string_view solver, const SettingTexts& settings);

/// Checks names and values before any work. Values are tried on small problems of 1 to 3 unknowns.
/// @throws std::invalid_argument if a solver is unknown, none of the solvers has a setting or all
/// that have it give their own value, or a solver does not accept the value of a setting that it
/// has
void check_solvers(const std::vector<std::string>& solvers, const SettingTexts& settings);

}  // namespace perp
