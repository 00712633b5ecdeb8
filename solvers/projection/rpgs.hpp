// Regularised projected Gauss-Seidel: a proximal point method with sweeps inside.
#pragma once

#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/projection/regularised_sweeps.hpp>

namespace perp {

/// Settings of RegularisedProjectedGaussSeidel.
struct RpgsSettings {
  SweepRules rules;
  int check_every = 10;  ///< least number of sweeps between two checks of the natural residual
  int patience = 200;    ///< checks without gain before the solve ends as stalled

  /// Shows every setting to a visitor, such as a SettingVisitor.
  template <class Visitor>
  void visit(Visitor& v) {
    v.visit("relaxation", rules.relaxation, "omega of the inner sweeps", kRelaxation);
    v.visit("regularisation", rules.regularisation,
            "first theta: R is theta times the weights of the rows");
    v.visit("adaptive", rules.adaptive, "change theta with the convergence of the inner sweeps");
    v.visit("inner_accuracy", rules.inner_accuracy,
            "inner sweeps end at this share of the proximal step");
    v.visit("inner_sweeps", rules.inner_sweeps, "inner sweeps per step at most", kAtLeastOne);
    v.visit("symmetric", rules.symmetric, "sweep in order and in reverse order by turns");
    v.visit("check_every", check_every, "least number of sweeps between two checks of the residual",
            kAtLeastOne);
    v.visit("patience", patience, "checks without a gain of 1 % before the solve ends as stalled",
            kAtLeastOne);
  }
};

/// Solves LCP(q, M) and mixed LCPs, also with zeros on the diagonal, by the proximal point method
/// [Rockafellar1976]. Projected Gauss-Seidel sweeps solve its inner problems (RegularisedSweeps).
///
/// For monotone M the outer iteration converges for every R > 0 if the inner problems are solved
/// to summable accuracy [Rockafellar1976, Thm. 1]. Here their accuracy is a fixed share of the
/// step, and pyramid contact problems are not monotone: for these, convergence is only observed.
/// Ends: solved, iteration_limit, time_limit, interrupted, stalled, numerical_error (divergence).
class RegularisedProjectedGaussSeidel final : public Solver {
 public:
  RpgsSettings settings;

  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override { settings.visit(visitor); }

 private:
  void do_prepare(const Problem& problem) override;
  void do_solve(const Start& start, Observer* observer, Result& result) override;

  RowProblem problem_;
  RegularisedSweeps sweeps_;
};

}  // namespace perp
