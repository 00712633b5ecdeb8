// Solvers in shared libraries: --plugin FILE.
#pragma once

#include <perp/bench/plugins/perp_plugin.h>
#include <functional>
#include <memory>
#include <perp/solvers/core/solver.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perp {

/// A solver of a library that was loaded.
struct Plugin {
  const perp_plugin* solver;
  std::string file;  ///< the library
  std::vector<std::string_view> kinds;
};

/// Those that were loaded, in their order. Their places stay.
const std::vector<std::unique_ptr<Plugin>>& plugins();
const Plugin* find_plugin(std::string_view name);

/// Loads a library with its solvers; one that is loaded already is not loaded again.
/// @param is_taken whether another solver has a name
/// @throws InputError naming the file: it cannot be loaded, exports nothing, is of another version
/// of the interface, or a solver lacks what it must have or has a name that is taken.
void load_plugin(const std::string& file, const std::function<bool(std::string_view)>& is_taken);

/// @throws std::invalid_argument if the library cannot make it
std::unique_ptr<Solver> make_plugin_solver(const Plugin& plugin);

}  // namespace perp
