// Cholesky factorisation of a dense symmetric matrix in a workspace that is kept.
#pragma once

#include <perp/solvers/linear_algebra/dense_product.hpp>
#include <vector>

namespace perp {

/// A = L L' [GolubVanLoan2013, Sec. 4.2], by halves of the columns, so that most of the work is
/// that of DenseProduct. Nothing allocates once reserve() has seen the size.
class DenseCholesky {
 public:
  void reserve(int max_size);
  /// Column-major buffer for a k x k matrix; its lower triangle is to be filled before factor().
  double* matrix(int size);
  /// Lower triangle of the matrix += B B', B with `columns` columns of the matrix's size, one after
  /// the other. Between matrix() and factor().
  void add_products(const double* b, int columns);
  /// @return false if a pivot is not above `smallest` times the largest diagonal entry.
  bool factor(double smallest);
  /// The pivot at which factor() gave up, over the largest diagonal entry.
  double failed_pivot() const { return failed_pivot_; }
  /// Its row; the pivot itself is left in the buffer there.
  int failed_row() const { return failed_row_; }
  /// x := A^-1 x, x := L^-1 x, x := L^-T x, k values.
  void solve(double* x) const;
  void solve_lower(double* x) const;
  void solve_lower_transposed(double* x) const;

 private:
  bool factor_columns(int begin, int end, double least);
  bool factor_narrow(int begin, int end, double least);

  int size_ = 0, failed_row_ = -1;
  double failed_pivot_ = 0.0;
  std::vector<double> a_;
  DenseProduct product_;
};

}  // namespace perp
