// Proximal steps by projected sweeps.
#pragma once

#include <perp/solvers/projection/projected_sweep.hpp>

namespace perp {

struct SweepRules {
  double relaxation = 1.0;      ///< omega of the sweeps, between 0 and 2 [-]
  double regularisation = 1.0;  ///< first theta [-]
  bool adaptive = true;         ///< change theta with the convergence of the sweeps
  double inner_accuracy = 0.3;  ///< sweeps end at this share of the proximal step [-]
  int inner_sweeps = 20;        ///< sweeps a step at most
  bool symmetric = false;       ///< rows in order and in reverse order by turns
};

/// Inexact steps of the proximal point method [Rockafellar1976]:
///   z^{k+1} solves  l <= z <= u  complementary to  M z + q + R (z - z^k),  R = theta D,
/// by projected Gauss-Seidel sweeps from z^k.
///
/// Sweeps converge for symmetric positive semidefinite M with a positive diagonal, whatever R.
/// Pairs of entries of opposite sign (M_ij M_ji < 0, as in the slip rows of contact problems) make
/// them diverge where R is too small, so D weighs row i with what a sweep through such pairs would
/// ask of it,
///   D_ii = sum_j |M_ij M_ji| / M_jj - M_ii  where positive,
/// rows with a diagonal that is not positive and no such pair get the mean diagonal, all others a
/// small weight. theta grows where the sweeps of a step do not contract, and shrinks where they do.
class RegularisedSweeps {
 public:
  /// For a problem that must stay alive. Allocates.
  void prepare(const RowProblem& problem);
  void start(const SweepRules& rules);

  /// One proximal step of at most `budget` sweeps. Undone where the sweeps grow.
  /// @return last change over the step: what the step left unsolved; infinite where undone.
  double step(Vector& z, int budget);

  int sweeps = 0;  ///< since start
  double theta = 0.0;
  bool hopeless = false;  ///< the sweeps grow with the largest theta there is

 private:
  void set_theta(double wanted);
  double inner_sweeps(Vector& z, int budget);

  const RowProblem* problem_ = nullptr;
  SweepRules rules_;
  Vector weights_, step_;
  Proximal proximal_;
};

}  // namespace perp
