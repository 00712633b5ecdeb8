// Truncated nonsmooth Newton multigrid for large sparse symmetric problems.
#pragma once

#include <perp/solvers/box/row_problem.hpp>
#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/multigrid/truncated_multigrid.hpp>
#include <perp/solvers/projection/progress.hpp>

namespace perp {

/// Settings of Multigrid.
struct MultigridSettings {
  int sweeps = 1;         ///< projected sweeps, each forward and backward, before a correction
  bool nested = true;     ///< start from the solutions of the coarser problems
  int nested_cycles = 4;  ///< iterations on each coarser problem
  int watchdog = 4;       ///< steps in a row that need not lower the energy
  int patience = 20;      ///< iterations without gain before the solve ends as stalled

  /// Shows every setting to a visitor, such as a SettingVisitor.
  template <class Visitor>
  void visit(Visitor& v) {
    v.visit("sweeps", sweeps,
            "projected sweeps, each forward and backward, before a coarse correction", kAtLeastOne);
    v.visit("nested", nested, "start from the solutions of the coarser problems");
    v.visit("nested_cycles", nested_cycles, "iterations on each coarser problem at most");
    v.visit("watchdog", watchdog, "steps in a row that need not lower the energy");
    v.visit("patience", patience,
            "iterations without a gain of 1 % before the solve ends as stalled", kAtLeastOne);
  }
};

/// Solves LCP(q, M) and mixed LCPs with sparse symmetric positive definite M, that is
/// min 1/2 z'Mz + q'z over l <= z <= u, by the truncated nonsmooth Newton multigrid method
/// [GraeserKornhuber2009]:
///   1. projected Gauss-Seidel sweeps;
///   2. unknowns that are then at a bound are truncated from the hierarchy [Kornhuber1994];
///   3. one multigrid cycle for the correction c of the others, M_FF c = -(Mz + q)_F;
///   4. c is cut at the bounds and added.
/// [GraeserKornhuber2009] scales the cut correction so that the energy never rises. On fine grids
/// the cut leaves kinks. They make such steps tiny, but the next sweeps would smooth them. So full
/// steps are taken here. After `watchdog` of them without a new least energy, the method goes back
/// to its best point and takes a scaled step. This keeps the convergence proof. The hierarchy comes
/// from smoothed aggregation [VanekMandelBrezina1996], so only the matrix is needed. Nested
/// iteration first solves the Galerkin problems of the coarser levels, whose active sets are a good
/// start. Ends: solved, stalled, iteration_limit, time_limit, interrupted, numerical_error.
class Multigrid final : public Solver {
 public:
  MultigridSettings settings;

  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override { settings.visit(visitor); }

 private:
  std::optional<std::string> do_refusal(const Problem& problem) const override;
  void do_prepare(const Problem& problem) override;
  void do_solve(const Start& start, Observer* observer, Result& result) override;

  void nested_start();
  void iterate(int k);
  static double natural_residual(const MultigridLevel& level);
  void projected_sweeps(MultigridLevel& level);
  bool update_mask(MultigridLevel& level);
  static double evaluate_force(MultigridLevel& level);
  void correct(MultigridLevel& level, bool careful);

  RowProblem problem_;
  TruncatedMultigrid hierarchy_;
  double best_energy_ = 0.0;
  int truncations_ = 0, truncated_level_ = -1, without_gain_ = 0, returns_ = 0;
};

}  // namespace perp
