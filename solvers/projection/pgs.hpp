// Projected Gauss-Seidel and successive over-relaxation.
#pragma once

#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/projection/projected_sweep.hpp>

namespace perp {

/// Settings of ProjectedGaussSeidel.
struct PgsSettings {
  double relaxation = 1.0;  ///< omega, between 0 and 2 [-]
  bool symmetric = false;   ///< rows in order and in reverse order by turns
  int check_every = 10;     ///< sweeps between two checks of the natural residual
  int patience = 50;        ///< checks without gain before the solve ends as stalled

  /// Shows every setting to a visitor, such as a SettingVisitor.
  template <class Visitor>
  void visit(Visitor& v) {
    v.visit("relaxation", relaxation, "omega of the over-relaxation", kRelaxation);
    v.visit("symmetric", symmetric, "sweep in order and in reverse order by turns");
    v.visit("check_every", check_every, "sweeps between two checks of the natural residual",
            kAtLeastOne);
    v.visit("patience", patience, "checks without a gain of 1 % before the solve ends as stalled",
            kAtLeastOne);
  }
};

/// Solves LCP(q, M) and mixed LCPs by sweeps of
///   z_i := mid(l_i, u_i, z_i - omega (Mz + q)_i / M_ii)   [Cryer1971; CottlePangStone2009, Ch. 5].
///
/// Converges for symmetric positive definite M and 0 < omega < 2 [Cryer1971], and for H-matrices
/// with positive diagonal and omega <= 1 [CottlePangStone2009, Ch. 5]. A row without a positive
/// diagonal entry is refused, with two exceptions: the rows of free unknowns (equations) only need
/// one that is not zero, and those of fixed unknowns need none.
/// Ends: solved, iteration_limit, time_limit, interrupted, stalled, numerical_error (divergence).
class ProjectedGaussSeidel final : public Solver {
 public:
  PgsSettings settings;

  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override { settings.visit(visitor); }

 private:
  std::optional<std::string> do_refusal(const Problem& problem) const override;
  void do_prepare(const Problem& problem) override;
  void do_solve(const Start& start, Observer* observer, Result& result) override;

  RowProblem problem_;
  Vector step_;
};

}  // namespace perp
