// Semismooth Newton on the Alart-Curnier or natural map of exact friction.
#pragma once

#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/friction/contact_newton.hpp>
#include <perp/solvers/friction/contact_sweeps.hpp>
#include <string>

namespace perp {

struct NewtonAcSettings {
  int first_sweeps = 10;            ///< sweeps of nsgs before the first step
  int recoveries = 8;               ///< returns to sweeps where the steps get stuck
  int fallback_sweeps = 20;         ///< of the first return, twice as many in the next one
  std::string scaling = "contact";  ///< of W and q: "none", "global" or "contact"

  template <class Visitor>
  void visit(Visitor& v) {
    v.visit("first_sweeps", first_sweeps, "sweeps of nsgs before the first step");
    v.visit("recoveries", recoveries, "returns to sweeps where the steps get stuck");
    v.visit("fallback_sweeps", fallback_sweeps, "of the first return; twice as many in the next");
    v.visit("scaling", scaling, "of W and q: none, global or contact");
  }
};

/// Solves exact Coulomb friction, K_mu ni r, u = W r + q, u + mu ||u_t|| n in K_mu*, complementary,
/// by a semismooth Newton method on Alart and Curnier's map [AlartCurnier1991] or the natural map
/// [AcaryBremondHuber2018], by turns where `map` is auto. A step solves
///   (A + B (W + eps I)) d = -Phi
/// with an element A + B W of the generalised Jacobian: eps, a proximal term that vanishes with
/// ||Phi||, makes the system regular where redundant contacts make W singular; then
/// Levenberg-Marquardt steps. Lengths come from a nonmonotone Armijo search on 1/2 ||Phi||^2
/// [GrippoLamparielloLucidi1986]. Where no step lowers the merit, sweeps of nsgs from the last
/// swept point, twice as many each time, give the next start. Ends: solved, stalled,
/// iteration_limit, time_limit, interrupted.
class NewtonAc final : public Solver {
 public:
  NewtonAcSettings settings;

  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override {
    settings.visit(visitor);
    newton_.settings.visit(visitor);
  }

 private:
  void do_prepare(const Problem& problem) override;
  void do_solve(const Start& start, Observer* observer, Result& result) override;
  void sweep(int count, const Deadline& deadline);

  ContactProblem problem_;
  ContactSweeps sweeps_;
  ContactNewton newton_;
  Vector r_, swept_, best_, u_;
  double best_measure_ = 0.0;
};

}  // namespace perp
