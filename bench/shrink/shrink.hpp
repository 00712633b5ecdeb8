// The smallest problem that still shows what a problem shows.
#pragma once

#include <functional>
#include <perp/problems/limits/deadline.hpp>
#include <perp/problems/standard/problem.hpp>

namespace perp {

/// What is left of a problem, and what it took.
struct Shrunk {
  Problem problem;
  int tries = 0;        ///< calls of `shows`
  bool at_end = false;  ///< nothing smaller shows it; else the time was up
};

/// Leaves out what can be left out while `shows` holds [ZellerHildebrandt2002]: contacts, cones,
/// rows and unknowns, halves first and single ones last; then numbers become 0 and lose digits, all
/// at once and one by one. Of an mcp an unknown is left out by fixing it, at its start or at 0
/// within its bounds. Names and known solutions go, the start stays. Graphs and matrices only: an
/// mcp by a callback is returned as it is.
/// @param shows called for valid problems only; holds for the problem itself
Shrunk shrink(const Problem& problem, const std::function<bool(const Problem&)>& shows,
              const Deadline& deadline);

/// Numbers of the problem that are not 0 (bounds: that are finite and not 0).
long numbers_of(const Problem& problem);

}  // namespace perp
