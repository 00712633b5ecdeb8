// Semismooth Newton on the projections of the cones of contacts in a convex program.
#pragma once

#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/friction/cone_problem.hpp>
#include <perp/solvers/friction/contact_newton.hpp>

namespace perp {

/// Solves conic QPs of velocities and impulses (ConeProblem), such as those of anitescu-tasora, by
/// semismooth Newton steps on the natural map r - Pi_K(r - rho u) of each contact
/// [QiSun1993; FukushimaLuoTseng2002], with the steps of newton-ac. In the unknowns of contacts it
/// ends at rounding. Interior points end before that, because their equations get ever worse
/// conditioned.
/// Ends: solved, stalled, iteration_limit, time_limit, interrupted. Other conic QPs are refused.
class NewtonCone final : public Solver {
 public:
  ContactScalingSetting settings;

  NewtonCone();
  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override {
    settings.visit(visitor);
    newton_.settings.visit_steps(visitor);
  }

 private:
  std::optional<std::string> do_refusal(const Problem& problem) const override;
  void do_prepare(const Problem& problem) override;
  void do_solve(const Start& start, Observer* observer, Result& result) override;

  ConeProblem problem_;
  ContactNewton newton_;
  Vector r_;
};

}  // namespace perp
