// LU factorisation of a sparse square matrix by the method that suits its pattern.
#pragma once

#include <perp/solvers/linear_algebra/sparse_lu.hpp>
#include <perp/solvers/linear_algebra/supernodal_lu.hpp>

namespace perp {

/// A = L U by columns (SparseLu) if that takes few operations, else by dense blocks (SupernodalLu):
/// these take longer to analyse but do each operation many times faster. If the blocks do not solve
/// to rounding, A is factorised by columns after all. The matrix is filled column by column with
/// begin(), append() and end_column().
class GeneralLu {
 public:
  void begin(int size) { columns_.begin(size); }
  void append(int row, double value) { columns_.append(row, value); }
  void end_column() { columns_.end_column(); }

  /// As in SparseLu; dense blocks do not use it.
  void set_pivot_tolerance(double tolerance) { columns_.set_pivot_tolerance(tolerance); }

  /// As in SparseLu.
  bool analyse() { return columns_.analyse(); }
  double estimated_operations() const { return columns_.estimated_operations(); }
  /// @return false if the matrix is structurally or numerically singular, or as in SparseLu
  bool factor();
  /// Factorises by columns, whatever that takes. @return as factor()
  bool factor_by_columns();
  /// Factorises by dense blocks, for a caller who knows that this is faster.
  /// @return false if they do not solve to rounding
  bool factor_by_blocks() { return by_blocks_ = blocks_.factor(columns_.matrix()); }
  void solve(double* x) { by_blocks_ ? blocks_.solve(x) : columns_.solve(x); }
  /// The same without refinement of what dense blocks solve.
  void substitute(double* x) { by_blocks_ ? blocks_.substitute(x) : columns_.solve(x); }
  /// Whether the last matrix was factorised by dense blocks.
  bool by_blocks() const { return by_blocks_; }

 private:
  SparseLu columns_;
  SupernodalLu blocks_;
  bool by_blocks_ = false;
};

}  // namespace perp
