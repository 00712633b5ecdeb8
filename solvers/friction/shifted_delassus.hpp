// W + shift I of a friction problem, factorised.
#pragma once

#include <perp/solvers/friction/contact_problem.hpp>
#include <perp/solvers/linear_algebra/dense_cholesky.hpp>
#include <perp/solvers/linear_algebra/quasidefinite_ldl.hpp>
#include <vector>

namespace perp {

/// Solves with H + shift I, H = (W + W')/2 and shift > 0: dense where the factor of a sparse one
/// would hold more than a quarter of the entries.
class ShiftedDelassus {
 public:
  /// Analyses nothing anew if the problem has kept its pattern. @param problem is kept by reference
  void attach(const ContactProblem& problem);

  /// @return false if H + shift I is not positive definite.
  bool factor(double shift);
  /// x := (H + shift I)^-1 x.
  void solve(Vector& x) const;

  /// y := H x.
  void multiply(const Vector& x, Vector& y) const;
  /// Largest eigenvalue of H, from below, by the power method.
  double largest_eigenvalue(int steps);
  bool dense() const { return dense_; }
  int factorisations = 0;

 private:
  void gather_pattern();
  void gather_values();

  const ContactProblem* problem_ = nullptr;
  bool dense_ = false;
  // Upper triangle of H by columns.
  std::vector<int> starts_, rows_;
  std::vector<int> targets_;  // of the entries of W, block by block: places in values
  std::vector<double> values_, shifted_;
  QuasidefiniteLdl sparse_;
  DenseCholesky cholesky_;
  Vector x_, y_;
};

}  // namespace perp
