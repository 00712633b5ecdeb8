// Solvers by the names that the command line takes, and their settings.
#pragma once

#include <memory>
#include <perp/solvers/core/solver.hpp>
#include <string>
#include <utility>
#include <vector>

namespace perp {

/// A registered solver, a peer whose program is there, "exec:COMMAND" or "NAME=exec:COMMAND".
/// @throws std::invalid_argument where the name is none of these.
std::unique_ptr<Solver> make_any_solver(std::string_view name);

/// Whether the solver of that name is a program of its own: a peer or an external one.
bool is_program(std::string_view name);

/// Keys and values of --set.
using SettingTexts = std::vector<std::pair<std::string, std::string>>;

/// Of the settings those that a solver has. "auto" has what the solvers that its settings belong to
/// have (owner_of_settings); every solver has `reduction`, which the router takes.
SettingTexts settings_of(std::string_view solver, const SettingTexts& settings);

/// Of the settings those that the solver has for this problem: of "auto" those of the one solver
/// that its settings belong to there.
SettingTexts settings_for(std::string_view solver, const Problem& problem,
                          const SettingTexts& settings);

/// Checks names and values before any work: values are tried on problems with an unknown or three.
/// @throws std::invalid_argument: an unknown solver, a setting that none of the solvers has, a
/// value that one which has it does not take.
void check_solvers(const std::vector<std::string>& solvers, const SettingTexts& settings);

/// The solver that the steps of a formulation are solved with where no other is asked for: lemke
/// for linear problems, auto for others. @throws std::invalid_argument: unknown formulation
std::string step_solver(const std::string& formulation);

}  // namespace perp
