// Semismooth Newton on the Alart-Curnier or natural map of exact friction.
#pragma once

#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/friction/contact_newton.hpp>

namespace perp {

/// Solves exact Coulomb friction, K_mu ni r, u = W r + q, u + mu ||u_t|| n in K_mu*, complementary,
/// by a semismooth Newton method on Alart and Curnier's map [AlartCurnier1991] or the natural map
/// [AcaryBremondHuber2018]. A step solves
///   (A + B (W + eps I)) d = -Phi
/// with an element A + B W of the generalised Jacobian. The proximal term eps vanishes with
/// ||Phi||. It makes the system regular if redundant contacts make W singular. If this step gives
/// no descent, a Levenberg-Marquardt step is tried. Lengths come from a nonmonotone Armijo search
/// on 1/2 ||Phi||^2 [GrippoLamparielloLucidi1986].
/// Ends: solved, stalled, iteration_limit, time_limit, interrupted.
class NewtonAc final : public Solver {
 public:
  ContactScalingSetting settings;

  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override {
    settings.visit(visitor);
    newton_.settings.visit(visitor);
  }

 private:
  void do_prepare(const Problem& problem) override;
  void do_solve(const Start& start, Observer* observer, Result& result) override;

  ContactProblem problem_;
  ContactNewton newton_;
  Vector r_;
};

}  // namespace perp
