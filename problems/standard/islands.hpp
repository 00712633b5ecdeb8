// Parts of a nonlinear problem that do not act on each other.
#pragma once

#include <memory>
#include <perp/problems/standard/mcp.hpp>
#include <vector>

namespace perp {

/// A set of unknowns whose rows of F depend on no other unknown. In a time step these are the
/// unknowns of bodies that touch each other, directly or through others.
struct Island {
  std::vector<int> unknowns;                     ///< in ascending order; row i belongs to unknown i
  std::vector<int> parameters;                   ///< of the whole that its rows read
  std::shared_ptr<const ExpressionGraph> graph;  ///< of its rows, in its unknowns and parameters
};

/// The smallest islands of a problem with a graph, in the order of their first unknowns. Two
/// unknowns are in the same island if a row has both, or if rows share an expression that has an
/// unknown. An unknown that cancels from a row (z - z) counts as part of it.
/// @throws std::invalid_argument if the graph is not well formed; it must not be null
std::vector<Island> find_islands(const Mcp& problem);

/// The problem of an island: z solves the whole if and only if the part of z on each island solves
/// the problem of the island.
Mcp problem_of(const Island& island, const Mcp& whole);

/// The entries of z that belong to an island.
Vector part_of(const Island& island, const Vector& z);

}  // namespace perp
