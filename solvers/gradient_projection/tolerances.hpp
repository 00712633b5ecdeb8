// Tolerances that the parts of gradient projection share.
#pragma once

namespace perp {

// Curvature in the metric of the diagonal: a smaller one counts as none.
inline constexpr double kFlatCurvature = 1e-14;
// The same for negative curvature: below this it is no rounding.
inline constexpr double kNegativeCurvature = -1e-10;
// Share of the tolerance: accuracy on a face, and least multiplier that counts as not zero.
inline constexpr double kFaceTolerance = 0.1;
// Growth of x that suggests an unbounded function.
inline constexpr double kUnboundedGrowth = 1e10;

}  // namespace perp
