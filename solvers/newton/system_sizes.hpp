// Constants that the Newton systems of boxes and of contacts share.
#pragma once

namespace perp {

/// A diagonal entry of a sparse matrix stays the pivot if it is at least this share of the largest
/// entry of its column. That keeps the sparsity of the ordering.
inline constexpr double kPivotTolerance = 0.1;
/// Products of blocks of this size allocate nothing.
inline constexpr int kHeaplessBlock = 64;
/// Largest kernel of a sparse matrix that is solved by the normal equations, which are dense.
inline constexpr int kDenseLeastSquares = 800;

}  // namespace perp
