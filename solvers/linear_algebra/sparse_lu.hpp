// LU factorisation of a sparse square matrix by KLU.
#pragma once

#include <memory>
#include <perp/solvers/linear_algebra/square_columns.hpp>
#include <vector>

namespace perp {

/// KLU [DavisPalamadai2010]: block triangular form, AMD ordering, partial pivoting. The matrix is
/// filled column by column with begin(), append() and end_column().
class SparseLu {
 public:
  SparseLu();
  ~SparseLu();
  SparseLu(SparseLu&&) noexcept;
  SparseLu& operator=(SparseLu&&) noexcept;

  void begin(int size) { a_.begin(size); }
  void append(int row, double value) { a_.append(row, value); }
  void end_column() { a_.end_column(); }
  const SquareColumns& matrix() const { return a_; }

  /// A diagonal entry is taken as pivot if it is at least this share of the largest entry of its
  /// column. 1, the default: true partial pivoting.
  void set_pivot_tolerance(double tolerance) { pivot_tolerance_ = tolerance; }

  /// Orders the matrix. factor() does this first. @return false if it is structurally singular.
  bool analyse();
  /// Factorises. A matrix with the pattern of the last one keeps its ordering.
  /// @return false if the matrix is structurally or numerically singular, or if the time is up
  /// (CurrentDeadline); this is seen up to a third of the time so far late.
  bool factor();
  /// Estimate of the operations, from the ordering, after analyse() or factor(); -1 if there is
  /// none.
  double estimated_operations() const;
  /// Smallest over largest pivot in absolute value, after factor(): near 0 if A is nearly singular.
  double pivot_ratio() const;
  /// x := A^-1 x and x := A^-T x, `size` values.
  void solve(double* x) const;
  void solve_transposed(double* x) const;

 private:
  struct Handle;
  std::unique_ptr<Handle> klu_;
  double pivot_tolerance_ = 1.0;
  SquareColumns a_;
  std::vector<int> ordered_starts_, ordered_rows_;  // pattern to which the ordering belongs
};

}  // namespace perp
