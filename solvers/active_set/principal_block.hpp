// The factors of a principal block of a matrix.
#pragma once

#include <memory>
#include <perp/solvers/box/row_problem.hpp>
#include <perp/solvers/linear_algebra/dense_cholesky.hpp>
#include <perp/solvers/linear_algebra/dense_lu.hpp>
#include <vector>

namespace perp {

/// M_BB + rho I for an index set B, factorised: by Cholesky if M is symmetric and the block is not
/// indefinite, else by LU; a sparse M by LDL' with AMD ordering [AmestoyDavisDuff1996] or KLU
/// [DavisPalamadai2010]. Dense blocks do not allocate; of sparse ones only those libraries do.
///
/// indices() is B in ascending order, and position(i) the place of i in it, whether or not the
/// factorisation has succeeded.
class PrincipalBlock {
 public:
  PrincipalBlock();
  ~PrincipalBlock();

  /// For blocks of this problem, which must stay alive. B is empty.
  void attach(const RowProblem& problem, bool symmetric);
  /// B := {i : set[i]}. @return false if the block is singular to rounding.
  bool factor(const std::vector<char>& set, double rho);

  int size() const { return static_cast<int>(indices_.size()); }
  const std::vector<int>& indices() const { return indices_; }
  /// -1 outside B.
  int position(int i) const { return position_[i]; }

  /// The two halves of a solve. With a dense Cholesky factor L the first is x := L^-1 x and the
  /// second x := L^-T x, else the first is all of it.
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
