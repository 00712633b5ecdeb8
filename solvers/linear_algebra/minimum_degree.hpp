// An order of elimination that keeps the factors of a sparse symmetric matrix sparse.
#pragma once

#include <vector>

namespace perp {

/// Approximate minimum degree order [AmestoyDavisDuff1996] of a symmetric matrix.
/// @param starts, rows one triangle or both by columns: the rows of column j are
/// rows[starts[j] .. starts[j + 1]); with or without the diagonal
/// @param order new -> old; keeps its memory. Only AMD itself allocates
/// @throws std::bad_alloc if AMD has too little memory
void find_minimum_degree_order(const std::vector<int>& starts, const std::vector<int>& rows,
                               std::vector<int>& order);

}  // namespace perp
