// Proximal steps by projected sweeps.
#pragma once

#include <perp/solvers/projection/projected_sweep.hpp>

namespace perp {

/// Parameters of the sweeps and of the steps around them.
struct SweepRules {
  double relaxation = 1.0;      ///< omega of the sweeps, between 0 and 2 [-]
  double regularisation = 1.0;  ///< first theta [-]
  bool adaptive = true;         ///< change theta with the convergence of the sweeps
  double inner_accuracy = 0.3;  ///< sweeps end at this share of the proximal step [-]
  int inner_sweeps = 20;        ///< sweeps per step at most
  bool symmetric = false;       ///< rows in order and in reverse order by turns
};

/// Inexact steps of the proximal point method [Rockafellar1976]:
///   z^{k+1} solves  l <= z <= u  complementary to  M z + q + R (z - z^k),  R = theta D,
/// by projected Gauss-Seidel sweeps from z^k.
///
/// For symmetric positive semidefinite M with a positive diagonal, sweeps converge for every R.
/// With pairs of entries of opposite sign (M_ij M_ji < 0, as in the slip rows of contact problems)
/// they diverge if R is too small. So D_ii is the weight that a sweep through such pairs needs,
///   D_ii = sum_j |M_ij M_ji| / M_jj - M_ii  over these pairs, if that is positive.
/// Rows without such a pair whose diagonal is not positive get the mean diagonal; all others get a
/// small weight. theta grows if the sweeps of a step do not contract, and shrinks if they do.
class RegularisedSweeps {
 public:
  /// Keeps a reference to the problem. Allocates.
  void prepare(const RowProblem& problem);
  void start(const SweepRules& rules);

  /// One proximal step of at most `budget` sweeps. It is undone if the changes of the sweeps grow.
  /// @return the last change of z over the length of the step: the share that is left unsolved;
  /// infinity if the step was undone.
  double step(Vector& z, int budget);

  int sweeps = 0;  ///< since start
  double theta = 0.0;
  bool hopeless = false;  ///< the changes of sweeps grow even with the largest theta

 private:
  void set_theta(double wanted);
  double inner_sweeps(Vector& z, int budget);

  const RowProblem* problem_ = nullptr;
  SweepRules rules_;
  Vector weights_, step_;
  Proximal proximal_;
};

}  // namespace perp
