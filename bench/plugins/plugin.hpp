// Loads solvers from shared libraries (option --plugin FILE).
#pragma once

#include <perp/bench/plugins/perp_plugin.h>
#include <functional>
#include <memory>
#include <perp/solvers/core/solver.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perp {

/// A solver of a loaded library.
struct Plugin {
  const perp_plugin* solver;
  std::string file;  ///< path of the library
  std::vector<std::string_view> kinds;
};

/// All loaded solvers, in the order in which they were loaded. Their addresses do not change.
const std::vector<std::unique_ptr<Plugin>>& plugins();
/// The plug-in of that name, or nullptr.
const Plugin* find_plugin(std::string_view name);

/// Loads a library with its solvers. A library that is loaded already is not loaded again.
/// @param is_taken whether another solver has that name
/// @throws InputError with the file if it cannot be loaded, does not export perp_plugin_solver, has
/// another version of the interface, or a solver is incomplete or has a name that is taken
void load_plugin(const std::string& file, const std::function<bool(std::string_view)>& is_taken);

/// Makes a solver object. @throws std::invalid_argument if the library cannot make it
std::unique_ptr<Solver> make_plugin_solver(const Plugin& plugin);

}  // namespace perp
