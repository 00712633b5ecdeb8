// W + shift I of a friction problem, factorised.
#pragma once

#include <perp/solvers/friction/contact_problem.hpp>
#include <perp/solvers/linear_algebra/dense_cholesky.hpp>
#include <perp/solvers/linear_algebra/quasidefinite_ldl.hpp>
#include <vector>

namespace perp {

/// Solves with H + shift I, H = (W + W')/2 and shift > 0. Dense if a sparse factor would hold more
/// than a quarter of the entries. Vectors have 3 values per contact.
class ShiftedDelassus {
 public:
  /// Does not repeat the analysis if the problem has kept its pattern.
  /// @param problem is kept by reference
  void attach(const ContactProblem& problem);

  /// @return false if H + shift I is not positive definite.
  bool factor(double shift);
  /// x := (H + shift I)^-1 x.
  void solve(Vector& x) const;

  /// y := H x.
  void multiply(const Vector& x, Vector& y) const;
  /// A lower bound on the largest eigenvalue of H, by `steps` steps of the power method.
  double largest_eigenvalue(int steps);
  bool dense() const { return dense_; }
  int factorisations = 0;

 private:
  void gather_pattern();
  void gather_values();

  const ContactProblem* problem_ = nullptr;
  long pattern_ = -1;  // of the problem, if what depends on it is done
  bool dense_ = false;
  // Upper triangle of H by columns.
  std::vector<int> starts_, rows_;
  std::vector<int> targets_;  // for each entry of W, block by block: its place in values_
  std::vector<double> values_, shifted_;
  QuasidefiniteLdl sparse_;
  DenseCholesky cholesky_;
  Vector x_, y_;
};

}  // namespace perp
