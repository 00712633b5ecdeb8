// Finds a smaller problem that still shows the same behaviour.
#pragma once

#include <functional>
#include <perp/problems/limits/deadline.hpp>
#include <perp/problems/standard/problem.hpp>

namespace perp {

/// A shrunk problem, and the effort.
struct Shrunk {
  Problem problem;
  int tries = 0;        ///< calls of `shows`
  bool at_end = false;  ///< true: nothing smaller was found; false: it was stopped
};

/// Leaves out as much as possible as long as `shows` returns true [ZellerHildebrandt2002]:
/// contacts, cones, rows and unknowns, halves first and single ones last. Then numbers lose digits
/// or become 0, all at once and one by one. An unknown of an mcp is left out by fixing it: at its
/// start, or at 0, clipped to its bounds. Names of unknowns and known solutions are dropped; the
/// start is kept. An mcp with a callback instead of a graph is returned unchanged.
/// @param shows is called for valid problems only; must be true for `problem` itself
/// @param stopped asked before and after each call of `shows`: true ends the search, and what that
/// call said does not count
Shrunk shrink(const Problem& problem, const std::function<bool(const Problem&)>& shows,
              const Deadline& deadline, const std::function<bool()>& stopped = {});

/// Number of nonzero numbers in the problem (for bounds: finite and nonzero).
long numbers_of(const Problem& problem);

}  // namespace perp
