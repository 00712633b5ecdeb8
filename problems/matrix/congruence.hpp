// B A B' of sparse matrices.
#pragma once

#include <perp/problems/matrix/matrix.hpp>

namespace perp {

/// B A B' for a symmetric A. The result is symmetric to the last bit, because only the lower half
/// is computed, then mirrored. Entries that are zero are left out. The entries in the columns of
/// both matrices must be sorted.
SparseMatrix congruence(const SparseMatrix& b, const SparseMatrix& a);

}  // namespace perp
