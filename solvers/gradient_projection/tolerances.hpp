// What the parts of gradient projection compare with.
#pragma once

#include <limits>

namespace perp::gradient_projection {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kFlat = 1e-14;       // curvature in the metric of the diagonal: none
inline constexpr double kOfTolerance = 0.1;  // what faces are solved to, multipliers told from 0
inline constexpr double kFar = 1e10;         // growth of x that speaks of an unbounded function
inline constexpr double kNegative = -1e-10;  // curvature that is no rounding

}  // namespace perp::gradient_projection
