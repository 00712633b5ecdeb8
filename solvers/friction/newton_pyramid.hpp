// Semismooth Newton on the projections of contacts with friction pyramids.
#pragma once

#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/friction/contact_newton.hpp>
#include <perp/solvers/friction/pyramid_problem.hpp>

namespace perp {

/// Solves the LCP of contacts with friction pyramids of four edges [StewartTrinkle1996] by the
/// semismooth Newton method of newton-ac, with the square |x_1| + |x_2| <= mu (c_n - rho_n u_n)^+
/// in place of Alart and Curnier's disc [AlartCurnier1991]. It has three unknowns for each contact
/// in place of six (PyramidProblem), and none that is not unique for given motion and x: the slips
/// and the common part of opposite impulses are gone.
/// Ends: solved, stalled, iteration_limit, time_limit, interrupted. An LCP of another form is
/// refused.
class NewtonPyramid final : public Solver {
 public:
  ContactScalingSetting settings;

  NewtonPyramid();
  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override {
    settings.visit(visitor);
    newton_.settings.visit_steps(visitor);
  }

 private:
  std::optional<std::string> do_refusal(const Problem& problem) const override;
  void do_prepare(const Problem& problem) override;
  void do_solve(const Start& start, Observer* observer, Result& result) override;

  PyramidProblem problem_;
  ContactNewton newton_;
  Vector r_;
};

}  // namespace perp
