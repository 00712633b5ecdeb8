// What "auto" tries for complementarity problems, in the measured order.
#pragma once

#include <cstdint>
#include <perp/problems/standard/problem.hpp>
#include <string>
#include <utility>
#include <vector>

namespace perp {

/// One entry of auto's list.
struct Attempt {
  std::string solver;
  std::vector<std::pair<std::string, std::string>> settings;
  std::uint64_t seed = 0;      ///< of a random start; 0: the start given
  bool polishes_start = true;  ///< false: the solver makes no use of a start that all but solves
  int max_iterations = 0;      ///< of this try, where the caller sets no lower limit; 0: none
  bool after_limit = false;    ///< only where an earlier try of the solver ended at its limit
  bool from_best = false;      ///< starts from the best answer of the earlier ones
  double time_share = 1.0;     ///< of the time that is left, where the caller sets a limit
};

/// The list for an lcp or mlcp. docs/auto.md has the measurements behind the order.
/// @param lemke_first settings were given, which are those of lemke
std::vector<Attempt> linear_attempts(const Problem& problem, bool lemke_first);

/// The list for an mcp.
/// @param josephy_first settings were given, which are those of josephy-newton
std::vector<Attempt> nonlinear_attempts(bool josephy_first);

/// The list for a friction_contact. docs/auto.md has the measurements behind the order.
std::vector<Attempt> friction_attempts(const Problem& problem);

/// The list for a conic_qp: the interior-point method, then, where all cones are linear and the
/// problem is not large, Lemke's as an mlcp.
std::vector<Attempt> conic_attempts(const Problem& problem);

/// A random start: half of the unknowns at their lower bounds (where they have one), the others off
/// them.
Vector random_start(const Problem& problem, std::uint64_t seed);

}  // namespace perp
