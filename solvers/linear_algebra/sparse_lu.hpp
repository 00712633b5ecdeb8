// LU factorisation of a sparse square matrix by KLU.
#pragma once

#include <memory>
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

  void begin(int size);
  void append(int row, double value) {
    rows_.push_back(row);
    values_.push_back(value);
  }
  void end_column() { starts_.push_back(static_cast<int>(rows_.size())); }

  /// A diagonal entry is taken as pivot where it is at least this share of the largest of its
  /// column; 1: true partial pivoting.
  void set_pivot_tolerance(double tolerance) { pivot_tolerance_ = tolerance; }

  /// Orders the matrix, as factor() does first. @return false where it is structurally singular.
  bool analyse();
  /// The ordering of the last matrix is kept for one of the same pattern.
  /// @return false where the matrix is structurally or numerically singular.
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
  int size_ = 0;
  double pivot_tolerance_ = 1.0;
  std::vector<int> starts_, rows_;
  std::vector<int> ordered_starts_, ordered_rows_;  // pattern of the ordering that is kept
  std::vector<double> values_;
};

}  // namespace perp
