// LU factorisation of a dense square matrix in a workspace that is kept.
#pragma once

#include <vector>

namespace perp {

/// P A = L U with partial pivoting [GolubVanLoan2013, Alg. 3.4.1], panels of four columns.
/// Neither factor() nor the solves allocate once reserve() has seen the size.
class DenseLu {
 public:
  void reserve(int max_size);
  /// Column-major buffer for a k x k matrix, to be filled before factor().
  double* matrix(int size);
  /// @return false where a pivot is zero to rounding.
  bool factor();
  /// x := A^-1 x and x := A^-T x, k values.
  void solve(double* x) const;
  void solve_transposed(double* x) const;

 private:
  bool factor_panel(int first, int width);
  void update_trailing(int first, int width);

  int size_ = 0;
  double largest_ = 0.0;
  std::vector<double> a_;
  std::vector<int> swaps_;
};

}  // namespace perp
