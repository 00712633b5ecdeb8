// Proximal point iterations around semismooth Newton steps for friction pyramids.
#pragma once

#include <perp/solvers/friction/proximal_contacts.hpp>
#include <perp/solvers/friction/pyramid_problem.hpp>

namespace perp {

/// Solves the LCP of contacts with friction pyramids of four edges [StewartTrinkle1996] by the
/// proximal point method [Rockafellar1976] on its impulses (PyramidProblem), around the steps of
/// newton-pyramid. It goes on from points at which those are stuck because the impulses of
/// redundant contacts are not unique.
/// Ends: solved, stalled, iteration_limit, time_limit, interrupted. An LCP of another form is
/// refused.
class ProximalPyramid final : public Solver {
 public:
  ProximalPyramid();
  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override {
    proximal_.settings.visit(visitor);
    proximal_.newton.settings.visit_steps(visitor);
  }

 private:
  std::optional<std::string> do_refusal(const Problem& problem) const override;
  void do_prepare(const Problem& problem) override;
  void do_solve(const Start& start, Observer* observer, Result& result) override;

  PyramidProblem problem_;
  ProximalContacts proximal_;
  Vector r_;
};

}  // namespace perp
