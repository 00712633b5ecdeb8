// Sparse matrices by rows, with the products that a multigrid hierarchy needs. What is computed
// into a matrix allocates only where that has been smaller so far.
#pragma once

#include <perp/problems/matrix/matrix.hpp>
#include <vector>

namespace perp {

/// Compressed rows; columns of a row are sorted.
struct Csr {
  int rows = 0, cols = 0;
  std::vector<int> start, column;
  std::vector<double> value;

  double row_dot(int i, const double* x) const {
    double sum = 0.0;
    for (int k = start[i]; k < start[i + 1]; ++k) sum += value[k] * x[column[k]];
    return sum;
  }
  /// y := A x.
  void multiply(const double* x, double* y) const {
    for (int i = 0; i < rows; ++i) y[i] = row_dot(i, x);
  }
};

/// What a product of matrices is summed up in.
struct CsrWorkspace {
  std::vector<double> sums;
  std::vector<int> seen, columns;
};

/// result := a
void to_csr(const SparseMatrix& a, Csr& result);
/// t := a'
void transpose(const Csr& a, Csr& t);
/// c := a b, row by row [Gustavson1978]
void multiply(const Csr& a, const Csr& b, CsrWorkspace& work, Csr& c);

/// Values of R T A T R' where `coarse` already has its pattern: T = diag(mask) drops the rows and
/// columns of A whose mask is zero. @param mask empty: nothing is dropped. @param scratch as many
/// zeros as R has rows; left so.
void galerkin(const Csr& restriction, const Csr& a, const Csr& prolongation,
              const std::vector<char>& mask, Csr& coarse, std::vector<double>& scratch);

}  // namespace perp
