// What "auto" tries for complementarity problems, in the measured order.
#pragma once

#include <cstdint>
#include <perp/problems/standard/problem.hpp>
#include <string>
#include <string_view>
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

/// The list for any kind but convex_contact. docs/auto.md has the measurements
/// behind the orders.
/// @param settings_given those of a solver of the list, which then comes first where order matters
std::vector<Attempt> attempts_for(const Problem& problem, bool settings_given);

/// The solver of the list that settings given to auto belong to.
std::string_view owner_of_settings(const Problem& problem);

/// A random start: half of the unknowns at their lower bounds (where they have one), the others off
/// them.
Vector random_start(const Problem& problem, std::uint64_t seed);

}  // namespace perp
