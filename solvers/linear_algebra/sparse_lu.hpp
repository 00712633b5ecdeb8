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

  /// @return false where the matrix is structurally or numerically singular.
  bool factor();
  /// Smallest over largest pivot in absolute value: a cheap sign of rank, after factor().
  double pivot_ratio() const;
  void solve(double* x) const;
  void solve_transposed(double* x) const;

 private:
  struct Handle;
  std::unique_ptr<Handle> klu_;
  int size_ = 0;
  std::vector<int> starts_, rows_;
  std::vector<double> values_;
};

}  // namespace perp
