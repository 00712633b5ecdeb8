// A point near a solution, made to solve the problem.
#pragma once

#include <perp/problems/standard/lcp.hpp>
#include <perp/solvers/core/natural_map.hpp>
#include <perp/solvers/linear_algebra/sparse_lu.hpp>
#include <vector>

namespace perp {

/// Newton steps on min(z, Mz + q) from a point near a solution, such as the answer of the last time
/// step or of a regularised problem. The rows of the active set, F_i(z) = 0, are often dependent
/// there (more contacts than degrees of freedom) but consistent, so each step solves them by
/// proximal iterations
///   (M_AA + rho I) d = -F_A,   z_A := z_A + d,
/// which converge to a solution near the start where M_AA is positive semidefinite
/// [Rockafellar1976].
class ActiveSetPolish {
 public:
  /// Improves z. One step is made unless z is better than `target`, more where that did not reach
  /// the tolerance: small errors of one time step would add up over many.
  /// @return the natural residual reached
  double improve(const Mlcp& problem, double tolerance, double target, Vector& z);

  int factorisations = 0;  ///< of the last call

 private:
  void choose_active(const Mlcp& problem, const Vector& z, double margin);
  bool factor(const Mlcp& problem, double rho);
  bool solve_active(const Mlcp& problem, double rho, Vector& z);

  std::vector<int> active_, place_;
  SparseLu lu_;
  NaturalMap map_;
  Vector f_, step_, trial_, best_;
};

}  // namespace perp
