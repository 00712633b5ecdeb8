// The pattern of A + A', and groups of unknowns with the same couplings.
#pragma once

#include <vector>

namespace perp {

/// Upper triangle by columns, the diagonal included, rows in order; and for each unknown its group,
/// numbered from 0. The unknowns of a group are coupled with the same unknowns and with each other,
/// as those of one contact are. To order the groups takes less time: their graph is smaller.
struct SymmetricPattern {
  std::vector<int> starts, rows, groups;
};

/// @param starts, rows a square matrix by columns, no entry twice
SymmetricPattern symmetric_pattern(int size, const std::vector<int>& starts,
                                   const std::vector<int>& rows);

}  // namespace perp
