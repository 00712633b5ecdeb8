// Proximal point iterations around semismooth Newton steps for exact friction.
#pragma once

#include <perp/solvers/friction/proximal_contacts.hpp>

namespace perp {

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
  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override {
    proximal_.settings.visit(visitor);
    proximal_.newton.settings.visit(visitor);
  }

 private:
  void do_prepare(const Problem& problem) override;
  void do_solve(const Start& start, Observer* observer, Result& result) override;

  ContactProblem problem_;
  ProximalContacts proximal_;
  Vector r_;
};

}  // namespace perp
