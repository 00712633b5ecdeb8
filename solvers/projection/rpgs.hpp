// Regularised projected Gauss-Seidel: a proximal point method with sweeps inside.
#pragma once

#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/projection/row_problem.hpp>

namespace perp {

struct RpgsSettings {
  double relaxation = 1.0;      ///< omega of the inner sweeps, between 0 and 2 [-]
  double regularisation = 1.0;  ///< first theta, R = theta times the weights of the rows [-]
  bool adaptive = true;         ///< change theta with the convergence of the inner sweeps
  double inner_accuracy = 0.3;  ///< inner sweeps end at this share of the proximal step [-]
  int inner_sweeps = 20;        ///< inner sweeps at most
  bool symmetric = false;       ///< rows in order and in reverse order by turns
  int check_every = 10;         ///< sweeps between two looks at the natural residual
  int patience = 200;           ///< looks without gain before the solve ends as stalled

  template <class Visitor>
  void visit(Visitor& v) {
    v.visit("relaxation", relaxation, "omega of the inner sweeps, between 0 and 2");
    v.visit("regularisation", regularisation, "first theta: R is theta times the rows' weights");
    v.visit("adaptive", adaptive, "change theta with the convergence of the inner sweeps");
    v.visit("inner_accuracy", inner_accuracy, "inner sweeps end at this share of the outer step");
    v.visit("inner_sweeps", inner_sweeps, "inner sweeps at most");
    v.visit("symmetric", symmetric, "sweep in order and in reverse order by turns");
    v.visit("check_every", check_every, "sweeps at least between two looks at the residual");
    v.visit("patience", patience, "looks without a gain of 1 % before the solve ends as stalled");
  }
};

/// Solves LCP(q, M) and mixed LCPs, zero diagonals included, by the proximal point method
/// [Rockafellar1976]:
///   z^{k+1} solves  l <= z <= u  complementary to  M z + q + R (z - z^k),  R = theta D,
/// each problem inexactly by projected Gauss-Seidel sweeps from z^k. For monotone M the outer
/// iteration converges for every R > 0 where the inner problems are solved to summable accuracy
/// [Rockafellar1976, Thm. 1]; with a fixed relative accuracy, as here, that is an observation.
///
/// Sweeps converge for symmetric M + R with positive diagonal. Pairs of entries of opposite sign
/// (M_ij M_ji < 0, as in the slip rows of contact problems) make them diverge where R is too
/// small, so D weighs row i with what a sweep through such pairs would ask of it,
///   D_ii = sum_j |M_ij M_ji| / M_jj - M_ii  where positive,
/// rows with a diagonal that is not positive and no such pair get the mean diagonal, and all other
/// rows a small weight. theta grows where inner sweeps do not contract, and shrinks where they do.
/// Ends: solved, iteration_limit, time_limit, interrupted, stalled, numerical_error (divergence).
class RegularisedProjectedGaussSeidel final : public Solver {
 public:
  RpgsSettings settings;

  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override { settings.visit(visitor); }

 private:
  void do_prepare(const Problem& problem) override;
  void do_solve(const Vector* start, Observer* observer, Result& result) override;

  void weigh_rows();
  void set_regularisation(double theta);
  /// Inner sweeps around the centre. @return share of the proximal step that the last one changed.
  double inner_sweeps(Vector& z, int budget, int& sweeps);

  RowProblem problem_;
  Vector weights_, step_;
  Proximal proximal_;
};

}  // namespace perp
