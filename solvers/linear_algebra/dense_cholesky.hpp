// Cholesky factorisation of a dense symmetric matrix in a workspace that is kept.
#pragma once

#include <perp/solvers/linear_algebra/dense_product.hpp>
#include <vector>

namespace perp {

/// A = L L' [GolubVanLoan2013, Sec. 4.2]. The columns are halved recursively, so that DenseProduct
/// does most of the work. Nothing allocates after reserve() with a size that is large enough.
class DenseCholesky {
 public:
  void reserve(int max_size);
  /// Column-major buffer for a k x k matrix, k = `size`; fill its lower triangle before factor().
  double* matrix(int size);
  /// This buffer, with the factors after factor().
  const double* values() const { return a_.data(); }
  /// Adds B B' to the lower triangle of the leading block of `rows` rows; to be called between
  /// matrix() and factor().
  /// @param b B by columns: `columns` columns of `rows` values
  void add_products(const double* b, int rows, int columns);
  /// @return false if a pivot is not above `smallest` times the largest diagonal entry.
  bool factor(double smallest) { return factor(smallest, size_); }
  /// Factorises the leading block of `part` rows alone. The rows below become C L^-T, and the rest
  /// of the lower triangle its Schur complement A22 - C A11^-1 C'.
  bool factor(double smallest, int part);
  /// The pivot at which factor() failed, over the largest diagonal entry.
  double failed_pivot() const { return failed_pivot_; }
  /// Its row; the pivot itself stays in the buffer on the diagonal of this row.
  int failed_row() const { return failed_row_; }
  /// x := A^-1 x, x := L^-1 x, x := L^-T x, of the block that was factorised.
  void solve(double* x) const;
  void solve_lower(double* x) const;
  void solve_lower_transposed(double* x) const;

 private:
  bool factor_columns(int begin, int end, double least);
  bool factor_narrow(int begin, int end, double least);

  int size_ = 0, part_ = 0, failed_row_ = -1;
  double failed_pivot_ = 0.0;
  std::vector<double> a_;
  DenseProduct product_;
};

}  // namespace perp
