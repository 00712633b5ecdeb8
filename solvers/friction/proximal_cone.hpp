// Proximal point iterations around semismooth Newton steps for the cones of convex programs.
#pragma once

#include <perp/solvers/friction/cone_problem.hpp>
#include <perp/solvers/friction/proximal_contacts.hpp>

namespace perp {

/// Solves conic QPs of velocities and impulses (ConeProblem) by the proximal point method
/// [Rockafellar1976] on the impulses, around the steps of newton-cone. It goes on from points at
/// which those are stuck because the impulses of redundant contacts are not unique.
/// Ends: solved, stalled, iteration_limit, time_limit, interrupted. Other conic QPs are refused.
class ProximalCone final : public Solver {
 public:
  ProximalCone();
  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override {
    proximal_.settings.visit(visitor);
    proximal_.newton.settings.visit_steps(visitor);
  }

 private:
  std::optional<std::string> do_refusal(const Problem& problem) const override;
  void do_prepare(const Problem& problem) override;
  void do_solve(const Start& start, Observer* observer, Result& result) override;

  ConeProblem problem_;
  ProximalContacts proximal_;
  Vector r_;
};

}  // namespace perp
