// LU factorisation of a sparse square matrix by KLU.
#pragma once

#include <memory>
#include <perp/solvers/linear_algebra/square_columns.hpp>
#include <vector>

namespace perp {

/// KLU [DavisPalamadai2010]: block triangular form, AMD ordering, partial pivoting. The matrix is
/// filled column by column through begin() / append() / end_column().
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

  /// A diagonal entry is taken as pivot where it is at least this share of the largest of its
  /// column; 1: true partial pivoting.
  void set_pivot_tolerance(double tolerance) { pivot_tolerance_ = tolerance; }

  /// Orders the matrix, as factor() does first. @return false if it is structurally singular.
  bool analyse();
  /// The ordering of the last matrix is kept for one of the same pattern.
  /// @return false if the matrix is structurally or numerically singular.
  bool factor();
  /// Operations that the ordering foresees, after analyse() or factor(); -1 where it does not say.
  double estimated_operations() const;
  /// Smallest over largest pivot in absolute value: a cheap sign of rank, after factor().
  double pivot_ratio() const;
  void solve(double* x) const;
  void solve_transposed(double* x) const;

 private:
  struct Handle;
  std::unique_ptr<Handle> klu_;
  double pivot_tolerance_ = 1.0;
  SquareColumns a_;
  std::vector<int> ordered_starts_, ordered_rows_;  // pattern of the ordering that is kept
};

}  // namespace perp
