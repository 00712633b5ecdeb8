// Newton steps from a point near a solution to a solution.
#pragma once

#include <perp/problems/standard/lcp.hpp>
#include <perp/solvers/core/natural_map.hpp>
#include <perp/solvers/linear_algebra/sparse_lu.hpp>
#include <vector>

namespace perp {

/// Newton steps on mid(z - l, z - u, Mz + q) from a point near a solution, such as the answer of
/// the last time step or of a regularised problem. The rows of the active set A, F_i(z) = 0, are
/// often dependent (more contacts than degrees of freedom) but consistent. So each step solves them
/// by proximal iterations
///   (M_AA + rho I) d = -F_A,   z_A := z_A + d.
/// These converge to a solution near the start if M_AA is positive semidefinite [Rockafellar1976].
class ActiveSetPolish {
 public:
  /// Improves z. One step is made if the natural residual is above `target`, and more if that did
  /// not reach the tolerance. `target` may be far below the tolerance: small errors of one time
  /// step would add up over many. @param z n values @return the natural residual reached
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
