// What the Newton systems of boxes and of contacts share.
#pragma once

namespace perp {

inline constexpr double kPivotTolerance = 0.1;  // sparse: a diagonal entry this large stays
inline constexpr int kHeaplessBlock = 64;       // products of blocks of this size need no heap
inline constexpr int kDenseLeastSquares = 800;  // kernels up to this size by the normal equations

}  // namespace perp
