// Cholesky factorisation of a dense symmetric matrix in a workspace that is kept.
#pragma once

#include <perp/solvers/linear_algebra/dense_product.hpp>
#include <vector>

namespace perp {

/// A = L L' [GolubVanLoan2013, Sec. 4.2]. The columns are halved recursively, so that DenseProduct
/// does most of the work. Nothing allocates after reserve() with a size that is large enough.
class DenseCholesky {
 public:
  /// @param most_below largest number of rows below the matrix
  void reserve(int max_size, int most_below = 0);
  /// Column-major buffer for a k x k matrix, k = `size`, with `below` more rows C below it; fill
  /// its lower triangle, and C, before factor().
  double* matrix(int size, int below = 0);
  /// This buffer. After factor() it has L, and C L^-T below.
  const double* values() const { return a_.data(); }
  /// Adds B B' to the lower triangle of the matrix; to be called between matrix() and factor().
  /// @param b B by columns: `columns` columns of k values, which are `stride` apart
  void add_products(const double* b, int columns, int stride);
  /// @return false if a pivot is not above `smallest` times the largest diagonal entry.
  bool factor(double smallest);
  /// The pivot at which factor() failed, over the largest diagonal entry.
  double failed_pivot() const { return failed_pivot_; }
  /// Its row; the pivot itself stays in the buffer on the diagonal of this row.
  int failed_row() const { return failed_row_; }
  /// x := A^-1 x, x := L^-1 x, x := L^-T x, k values.
  void solve(double* x) const;
  void solve_lower(double* x) const;
  void solve_lower_transposed(double* x) const;

 private:
  bool factor_columns(int begin, int end, double least);
  bool factor_narrow(int begin, int end, double least);

  int size_ = 0, rows_ = 0, failed_row_ = -1;  // k; rows of the buffer
  double failed_pivot_ = 0.0;
  std::vector<double> a_, inverses_;  // of the diagonal of L
  DenseProduct product_;
};

}  // namespace perp
