// B A B' of sparse matrices.
#pragma once

#include <perp/problems/matrix/matrix.hpp>

namespace perp {

/// B A B' for a symmetric A, symmetric to the last bit: the lower half is summed up and mirrored.
/// Entries that come out as zero are left out. The columns of both matrices are sorted.
SparseMatrix congruence(const SparseMatrix& b, const SparseMatrix& a);

}  // namespace perp
