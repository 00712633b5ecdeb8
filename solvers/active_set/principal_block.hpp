// The factors of a principal block of a matrix.
#pragma once

#include <memory>
#include <perp/solvers/box/row_problem.hpp>
#include <perp/solvers/linear_algebra/dense_cholesky.hpp>
#include <perp/solvers/linear_algebra/dense_lu.hpp>
#include <vector>

namespace perp {

/// Factorises M_BB + rho I for an index set B. If M is symmetric and the block is not indefinite,
/// by Cholesky, else by LU. If M is sparse, these are LDL' with AMD ordering [AmestoyDavisDuff1996]
/// and KLU [DavisPalamadai2010]. Dense blocks do not allocate; for sparse ones only those libraries
/// do.
///
/// indices() is B in ascending order, and position(i) the place of i in it, also if the
/// factorisation has failed.
class PrincipalBlock {
 public:
  PrincipalBlock();
  ~PrincipalBlock();

  /// Keeps a reference to the problem. B is empty. @param symmetric whether M is symmetric
  void attach(const RowProblem& problem, bool symmetric);
  /// B := {i : set[i]}. @return false if the block is singular to rounding.
  bool factor(const std::vector<char>& set, double rho);

  int size() const { return static_cast<int>(indices_.size()); }
  const std::vector<int>& indices() const { return indices_; }
  /// Place of i in indices(); -1 outside B.
  int position(int i) const { return position_[i]; }

  /// The two halves of a solve, size() values. With a dense Cholesky factor L (by_halves()) the
  /// first is x := L^-1 x and the second x := L^-T x. Else the first is the whole solve.
  void first_solve(double* x);
  void second_solve(double* x);
  bool by_halves() const { return cholesky_ && !sparse_; }

 private:
  struct Sparse;

  bool factor_dense(double rho);
  bool factor_sparse(double rho);
  bool factor_sparse_symmetric(double rho);

  const RowProblem* problem_ = nullptr;
  bool symmetric_ = false, cholesky_ = false;
  std::vector<int> indices_, position_;
  DenseCholesky dense_cholesky_;
  DenseLu dense_lu_;
  std::unique_ptr<Sparse> sparse_;
};

}  // namespace perp
