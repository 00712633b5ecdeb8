// An order of elimination that keeps the factors of a sparse symmetric matrix sparse.
#pragma once

#include <vector>

namespace perp {

/// Approximate minimum degree order [AmestoyDavisDuff1996] of a symmetric matrix: new -> old.
/// @param starts, rows one triangle or both by columns: the rows of column j are
/// rows[starts[j] .. starts[j + 1]); with or without the diagonal
std::vector<int> minimum_degree_order(const std::vector<int>& starts, const std::vector<int>& rows);

}  // namespace perp
