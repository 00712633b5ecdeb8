// What the parts of gradient projection compare with.
#pragma once

namespace perp {

inline constexpr double kFlatCurvature = 1e-14;       // in the metric of the diagonal, below: none
inline constexpr double kNegativeCurvature = -1e-10;  // likewise; no rounding
inline constexpr double kFaceTolerance = 0.1;  // what faces are solved to, multipliers told from 0
inline constexpr double kUnboundedGrowth = 1e10;  // of x, speaks of an unbounded function

}  // namespace perp
