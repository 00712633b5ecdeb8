// Cholesky factorisation of a dense symmetric matrix in a workspace that is kept.
#pragma once

#include <vector>

namespace perp {

/// A = L L' [GolubVanLoan2013, Sec. 4.2], by panels of columns; the update of what is right of a
/// panel runs over packed 4 x 4 tiles. Nothing allocates once reserve() has seen the size.
class DenseCholesky {
 public:
  void reserve(int max_size);
  /// Column-major buffer for a k x k matrix; its lower triangle is to be filled before factor().
  double* matrix(int size);
  /// Lower triangle of the matrix += B B', B with `columns` columns of the matrix's size, one after
  /// the other. Between matrix() and factor().
  void add_products(const double* b, int columns);
  /// @return false where a pivot is not above `smallest` times the largest diagonal entry.
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
  bool factor_panel(int first, int width, double least);
  void pack(const double* columns, int begin, int width);
  void add_packed(int begin, int width, double sign);

  int size_ = 0, failed_row_ = -1;
  double failed_pivot_ = 0.0;
  std::vector<double> a_, packed_;
};

}  // namespace perp
