// Linear systems with the free block of a matrix, whose index set changes a little at a time.
#pragma once

#include <memory>
#include <perp/solvers/linear_algebra/dense_cholesky.hpp>
#include <perp/solvers/linear_algebra/dense_lu.hpp>
#include <perp/solvers/projection/row_problem.hpp>
#include <vector>

namespace perp {

/// Solves (M + rho I)_FF x_F = b_F for a set F that changes.
///
/// One set B is factorised: by Cholesky where M is symmetric and the block is not indefinite,
/// else by LU; a sparse M by LDL' with AMD ordering [AmestoyDavisDuff1996] or KLU
/// [DavisPalamadai2010]. For a set F that differs from B in few indices the block is bordered: rows
/// and columns of F \ B are appended, and a unit row and column for each index of B \ F makes its
/// unknown zero. The bordered system is solved through its Schur complement [GolubVanLoan2013],
///   [M_BB B2; C D] [x; y] = [b; c],  S = D - C M_BB^-1 B2,  S y = c - C M_BB^-1 b,
/// which costs one solve with M_BB for an index that has changed, half of one with a dense Cholesky
/// factor. Dense blocks do not allocate once the largest has been factorised.
class FreeBlock {
 public:
  FreeBlock();
  ~FreeBlock();

  /// For blocks of this problem, which must stay alive. Nothing is factorised yet.
  void attach(const RowProblem& problem, bool symmetric);
  /// Forgets the factorisation; the next set is factorised with this rho.
  void set_regularisation(double rho);
  double regularisation() const { return rho_; }
  /// True where F differs from the factorised set.
  bool is_bordered() const { return valid_ && !border_.empty(); }
  /// The next set is factorised, whatever it is.
  void forget() { valid_ = false; }

  /// Makes F = {i : free[i]} the set to solve with. @return false where the block is singular to
  /// rounding.
  bool set(const std::vector<char>& free);
  /// x_F := (M + rho I)_FF^-1 x_F in place; entries outside F become zero.
  void solve(Vector& x);

  int factorisations = 0, updates = 0, linear_solves = 0;

 private:
  struct SparseFactors;

  bool factor(const std::vector<char>& free);
  bool factor_dense();
  bool factor_sparse();
  bool by_halves() const { return cholesky_ && !sparse_; }
  void first_solve(double* x);
  void second_solve(double* x);
  int border_limit() const;
  bool update_border(const std::vector<char>& free);
  void drop_border(int k);
  void append_border(int index);
  double border_dot(int k, const double* x) const;
  bool factor_schur();

  const RowProblem* problem_ = nullptr;
  bool symmetric_ = false, cholesky_ = false, valid_ = false;
  double rho_ = 0.0;
  std::vector<int> base_, position_;  // B in order; place of an index in it or -1
  std::vector<int> border_;           // indices in which F differs from B
  std::vector<char> in_border_;
  DenseCholesky dense_cholesky_;
  DenseLu dense_lu_, schur_;
  std::unique_ptr<SparseFactors> sparse_;
  DenseMatrix solved_;    // columns M_BB^-1 B2; with M_BB = L L', columns V = L^-1 B2
  DenseMatrix products_;  // C M_BB^-1 B2, which then is V'V
  Vector right_, small_;
};

}  // namespace perp
