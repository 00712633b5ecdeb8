// Linear systems with the free block of a matrix. Its index set changes by a few indices at a time.
#pragma once

#include <perp/solvers/active_set/principal_block.hpp>
#include <vector>

namespace perp {

/// Solves (M + rho I)_FF x_F = b_F for a set F that changes.
///
/// One set B is factorised (PrincipalBlock). For a set F that differs from B in few indices the
/// block is bordered: rows and columns of F \ B are appended. For each index of B \ F a unit row
/// and column is appended, which makes its unknown zero. The bordered system is solved with its
/// Schur complement [GolubVanLoan2013],
///   [M_BB B2; C D] [x; y] = [b; c],  S = D - C M_BB^-1 B2,  S y = c - C M_BB^-1 b.
/// That costs one solve with M_BB for each index that has changed, with a dense Cholesky factor
/// half a solve. Dense blocks do not allocate once the largest has been factorised.
///
/// While is_bordered(), border_ holds the indices in which F differs from B, each once. The first
/// columns of solved_ and products_ belong to them, in this order.
class FreeBlock {
 public:
  /// Keeps a reference to the problem, whose blocks are factorised later.
  /// @param symmetric whether M is symmetric
  void attach(const RowProblem& problem, bool symmetric);
  /// Forgets the factorisation; the next set is factorised with this rho.
  void set_regularisation(double rho);
  double regularisation() const { return rho_; }
  /// True if F differs from the factorised set.
  bool is_bordered() const { return valid_ && !border_.empty(); }
  /// Forgets the factorisation, so that the next set is factorised.
  void forget() { valid_ = false; }

  /// Makes F = {i : free[i]} the set for solve(). @param free n values
  /// @return false if the block is singular to rounding.
  bool set(const std::vector<char>& free);
  /// x_F := (M + rho I)_FF^-1 x_F in place, n values; entries outside F become zero.
  void solve(Vector& x);

  int factorisations = 0, updates = 0, linear_solves = 0;

 private:
  bool factor(const std::vector<char>& free);
  int border_limit() const;
  bool update_border(const std::vector<char>& free);
  void drop_border(int k);
  void append_border(int index);
  double border_dot(int k, const double* x) const;
  bool factor_schur();

  const RowProblem* problem_ = nullptr;
  bool symmetric_ = false, valid_ = false;
  double rho_ = 0.0;
  PrincipalBlock base_;  // M_BB + rho I
  std::vector<int> border_;
  std::vector<char> in_border_;
  DenseLu schur_;
  DenseMatrix solved_;    // columns M_BB^-1 B2; if M_BB = L L', columns V = L^-1 B2
  DenseMatrix products_;  // C M_BB^-1 B2; if M_BB = L L', this is V'V
  Vector right_, small_;
};

}  // namespace perp
