// Parts of a nonlinear problem that do not act on each other.
#pragma once

#include <perp/problems/standard/mcp_part.hpp>
#include <vector>

namespace perp {

/// The islands of a problem with a graph, in the order of their first unknowns. An island is a
/// smallest set of unknowns whose rows of F depend on no other unknown, so nothing is fixed in it:
/// z solves the problem if and only if it solves the problem of every island. In a time step these
/// are the unknowns of bodies that touch each other, directly or through others. Two unknowns are
/// in the same island if a row has both, or if rows share an expression that has an unknown. An
/// unknown that cancels from a row (z - z) counts as part of it.
/// @throws std::invalid_argument if the graph is not well formed; it must not be null
std::vector<McpPart> find_islands(const Mcp& problem);

}  // namespace perp
