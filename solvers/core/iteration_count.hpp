// Numbers of iterations that are told.
#pragma once

#include <algorithm>

namespace perp {

/// The largest number of iterations that a solver may tell and that records hold. Sums end here.
inline constexpr int kMostIterations = 1'000'000'000;

/// The sum of two numbers of iterations, each at least 0 and at most kMostIterations.
inline int sum_of_iterations(int a, int b) { return std::min(a + b, kMostIterations); }

}  // namespace perp
