// Solvers of other libraries that perp can be compared with, each in a program of its own.
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
  /// Variable of the environment that names the user's own library; empty: it needs none
  std::string_view variable = {};
};

/// All that perp knows of, whether their programs are there or not.
const std::vector<Peer>& peers();

/// Those whose programs are there.
std::vector<Peer> available_peers();

/// Path of a program of perp's peers and engines: beside the running one, or in ../libexec/perp
/// where perp is installed; empty if there is none.
std::string program_beside(std::string_view name);

/// Path of a peer's program, by program_beside.
std::string program_of(const Peer& peer);

/// The peer of that name, or nullptr.
const Peer* find_peer(std::string_view name);

/// A solver that runs the peer's program. @throws std::invalid_argument where it is not there.
std::unique_ptr<Solver> make_peer(const Peer& peer);

}  // namespace perp
