// Proximal point iterations around semismooth Newton steps for exact friction.
#pragma once

#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/friction/contact_newton.hpp>
#include <string>

namespace perp {

/// Settings of ProximalNewton.
struct ProximalNewtonSettings {
  double alpha = 1e-2;          ///< first alpha, for W with diagonal blocks of order 1 [-]
  double least_alpha = 1e-9;    ///< [-]
  double decrease = 0.3;        ///< factor on alpha after an inner problem that was easy [-]
  double increase = 5.0;        ///< factor on alpha after an inner problem that was not solved [-]
  double inner_accuracy = 0.5;  ///< inner tolerance over min(1, measure at the centre) [-]
  int inner_steps = 30;         ///< Newton steps of an inner problem at most
  int easy_steps = 6;           ///< an inner problem with at most so many Newton steps was easy
  int outer_iterations = 1000;  ///< proximal steps at most
  std::string scaling = "contact";  ///< of W and q: "none", "global" or "contact"

  /// Shows every setting to a visitor, such as a SettingVisitor.
  template <class Visitor>
  void visit(Visitor& v) {
    v.visit("alpha", alpha, "first alpha, for W with diagonal blocks of order 1", kPositive);
    v.visit("least_alpha", least_alpha, "least alpha", kPositive);
    v.visit("decrease", decrease, "factor on alpha after an inner problem that was easy", kShare);
    v.visit("increase", increase, "factor on alpha after an inner problem that was not solved",
            kAtLeastOne);
    v.visit("inner_accuracy", inner_accuracy, "inner tolerance over the measure at the centre");
    v.visit("inner_steps", inner_steps, "Newton steps of an inner problem at most", kAtLeastOne);
    v.visit("easy_steps", easy_steps,
            "an inner problem with at most so many Newton steps was easy");
    v.visit("outer_iterations", outer_iterations, "proximal steps at most", kAtLeastOne);
    v.visit("scaling", scaling, "of W and q by powers of two: none, global or contact",
            Choices{"none", "global", "contact"});
  }
};

/// Solves exact Coulomb friction, K_mu ni r, u = W r + q, u + mu ||u_t|| n in K_mu*, complementary,
/// by the proximal point method [Rockafellar1976; AcaryBremondHuber2018]: r^{k+1} solves the
/// problem with
///   u = W r + q + alpha_k (r - r^k).
/// Its matrix W + alpha_k I is nonsingular if W is positive semidefinite. Semismooth Newton steps
/// (ContactNewton) solve it to a share of the measure at r^k. A solution of the problem as posed is
/// a fixed point for every alpha. alpha falls after inner problems that took few steps, so that the
/// last outer steps are nearly Newton steps on the problem as posed. It grows if an inner problem
/// was not solved.
///
/// Convergence of the proximal point method is proved for monotone problems (mu = 0, or the relaxed
/// law). For exact friction it is only observed.
/// Ends: solved, stalled, iteration_limit, time_limit, interrupted.
class ProximalNewton final : public Solver {
 public:
  ProximalNewtonSettings settings;

  ProximalNewton();
  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override {
    settings.visit(visitor);
    newton_.settings.visit(visitor);
  }

 private:
  void do_prepare(const Problem& problem) override;
  void do_solve(const Start& start, Observer* observer, Result& result) override;
  void look_at(const Vector& r);

  ContactProblem problem_;
  ContactNewton newton_;
  Vector r_, centre_, best_, u_;
  double measure_ = 0.0, best_measure_ = 0.0;
};

}  // namespace perp
