// Nonsmooth Gauss-Seidel: solves one contact after the other, each exactly.
#pragma once

#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/friction/contact_problem.hpp>
#include <perp/solvers/friction/contact_sweeps.hpp>
#include <string>

namespace perp {

/// Settings of Nsgs.
struct NsgsSettings {
  double relaxation = 1.0;       ///< omega, between 0 and 2 [-]
  bool symmetric = false;        ///< contacts in order and in reverse order by turns
  std::string order = "given";   ///< of the contacts: "given" or "random"
  int seed = 1;                  ///< of the random order
  std::string scaling = "none";  ///< "none", "global" or "contact"
  double regularisation = 0.0;  ///< rho of proximal sweeps over the size of the diagonal blocks [-]
  int check_every = 10;         ///< sweeps between two checks of the natural map
  int patience = 200;           ///< checks without gain before the solve ends as stalled

  /// Shows every setting to a visitor, such as a SettingVisitor.
  template <class Visitor>
  void visit(Visitor& v) {
    v.visit("relaxation", relaxation, "omega of the over-relaxation", kRelaxation);
    v.visit("symmetric", symmetric, "sweep in order and in reverse order by turns");
    v.visit("order", order, "of the contacts: given or random", Choices{"given", "random"});
    v.visit("seed", seed, "of the random order");
    v.visit("scaling", scaling, "of W and q by powers of two: none, global or contact",
            Choices{"none", "global", "contact"});
    v.visit("regularisation", regularisation,
            "rho over the size of the diagonal blocks: proximal sweeps");
    v.visit("check_every", check_every, "sweeps between two checks of the natural map",
            kAtLeastOne);
    v.visit("patience", patience, "checks without a gain of 1 % before the solve ends as stalled",
            kAtLeastOne);
  }
};

/// Solves exact Coulomb friction, K_mu ni r, u = W r + q, u + mu ||u_t|| n in K_mu*, complementary,
/// by block Gauss-Seidel sweeps over the contacts [JourdanAlartJean1998]. The other impulses stay
/// fixed, and that of contact c becomes the exact solution of its own problem (solve_contact). If
/// there is none, it becomes the projection of a gradient step.
///
/// There is no proof of convergence for mu > 0 and a general W. For mu = 0 and symmetric positive
/// definite W the proof is that of [Cryer1971]. With redundant contacts it is too slow to be
/// useful.
/// Ends: solved, iteration_limit, time_limit, interrupted, stalled, numerical_error (divergence).
class Nsgs final : public Solver {
 public:
  NsgsSettings settings;

  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override { settings.visit(visitor); }

 private:
  void do_prepare(const Problem& problem) override;
  void do_solve(const Start& start, Observer* observer, Result& result) override;

  ContactProblem problem_;
  ContactSweeps sweeps_;
  Vector r_, u_, best_;
};

}  // namespace perp
