// The pattern of A + A', and unknowns of it that look alike.
#pragma once

#include <vector>

namespace perp {

/// Upper triangle by columns, the diagonal included, rows in order; and for each unknown its group,
/// numbered from 0: unknowns that are coupled with the same ones and with each other, as those of
/// one contact are. Ordering the groups is ordering a smaller graph.
struct SymmetricPattern {
  std::vector<int> starts, rows, groups;
};

/// @param starts, rows a square matrix by columns, no entry twice
SymmetricPattern symmetric_pattern(int size, const std::vector<int>& starts,
                                   const std::vector<int>& rows);

}  // namespace perp
