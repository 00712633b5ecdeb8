// LU factorisation of a dense square matrix in a workspace that is kept.
#pragma once

#include <cstddef>
#include <perp/solvers/linear_algebra/dense_product.hpp>
#include <vector>

namespace perp {

/// P A = L U with partial pivoting [GolubVanLoan2013, Alg. 3.4.1]. The columns are halved
/// recursively [Toledo1997], so that DenseProduct does most of the work. Neither factor() nor the
/// solves allocate after reserve() with a size that is large enough.
class DenseLu {
 public:
  void reserve(int max_size);
  /// Column-major buffer for a k x k matrix, k = `size`, to be filled before factor().
  double* matrix(int size);
  /// @return false if a pivot is zero to rounding, or if CurrentDeadline has passed.
  bool factor();
  /// Row swaps()[k] was exchanged with row k before column k was eliminated. L and U replace the
  /// matrix in its buffer.
  const int* swaps() const { return swaps_.data(); }
  /// x := A^-1 x and x := A^-T x, k values.
  void solve(double* x) const;
  void solve_transposed(double* x) const;

 private:
  bool factor_columns(int begin, int end);
  void swap_rows(int first, int last, int begin, int end);
  void substitute(int first, int last, int begin, int end);
  void subtract_product(int first, int last, int top, int bottom, int begin, int end);
  double* column_at(int j) { return a_.data() + static_cast<std::size_t>(j) * size_; }

  int size_ = 0;
  double least_ = 0.0;  // pivots up to it count as zero
  std::vector<double> a_;
  std::vector<int> swaps_;
  DenseProduct product_;
};

}  // namespace perp
