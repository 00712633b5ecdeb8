// Solvers of other libraries, with which perp can be compared. Each runs in a program of its own.
#pragma once

#include <perp/solvers/core/solver.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perp {

/// A solver of another library (docs/reference/peers.md).
struct Peer {
  SolverTraits traits;
  std::string_view program;  ///< file name of the program that runs it
  /// Environment variable that names the user's own library; empty if the peer needs none.
  std::string_view variable = {};
};

/// All peers known to perp, whether their programs were built or not.
const std::vector<Peer>& peers();

/// The peers whose programs were built.
std::vector<Peer> available_peers();

/// Path of the program of a peer or engine: in the folder of the running program, or in
/// ../libexec/perp of an installed perp; empty if there is none.
std::string program_beside(std::string_view name);

/// Path of a peer's program, by program_beside.
std::string program_of(const Peer& peer);

/// The peer of that name, or nullptr.
const Peer* find_peer(std::string_view name);

/// A solver that runs the peer's program.
/// @throws std::invalid_argument if the program, or the user's library that it needs, is not there
std::unique_ptr<Solver> make_peer(const Peer& peer);

}  // namespace perp
