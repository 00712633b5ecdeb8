// Sparse matrices by rows, with the products that a multigrid hierarchy needs. A result allocates
// only if its matrix has been smaller so far.
#pragma once

#include <perp/problems/matrix/matrix.hpp>
#include <vector>

namespace perp {

/// Compressed rows: those of row i are start[i] .. start[i + 1] - 1, with columns in order.
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

/// Work space of a product of matrices.
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

/// Values of R T A T R'. T = diag(mask) drops the rows and columns of A whose mask is zero.
/// @param prolongation R' @param mask as many values as A has rows; empty: nothing is dropped
/// @param coarse already has the pattern of the result
/// @param scratch as many zeros as R has rows; they are zero again afterwards
void galerkin(const Csr& restriction, const Csr& a, const Csr& prolongation,
              const std::vector<char>& mask, Csr& coarse, std::vector<double>& scratch);

}  // namespace perp
