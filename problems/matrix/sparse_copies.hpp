// Copies between sparse matrices whose memory is kept.
#pragma once

#include <perp/problems/matrix/matrix.hpp>

namespace perp {

/// A sparse matrix in compressed rows.
using RowSparseMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;

/// to := the entries of a that are not zero. As below, only other sizes and more entries than `to`
/// ever had allocate; the results are compressed and sorted.
void copy_nonzeros(const Matrix& a, SparseMatrix& to);
/// to := a'
void transpose(const SparseMatrix& a, SparseMatrix& to);
/// to := a
void copy_by_rows(const SparseMatrix& a, RowSparseMatrix& to);
/// to := (a + a') / 2 @param transposed work space
void copy_symmetric_part(const SparseMatrix& a, SparseMatrix& transposed, SparseMatrix& to);

/// Whether sizes and places of stored entries are the same, both compressed.
bool same_pattern(const SparseMatrix& a, const SparseMatrix& b);
/// Whether also storage and values are.
bool same_entries(const Matrix& a, const Matrix& b);
/// Whether sizes and values are the same to the bit: NaN equals itself, and 0 is not -0.
bool same_bits(const double* a, const double* b, std::ptrdiff_t count);
/// @overload
bool same_bits(const Vector& a, const Vector& b);

}  // namespace perp
