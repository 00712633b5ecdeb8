#include <perp/solvers/friction/proximal_cone.hpp>

namespace perp {

namespace {

constexpr double kProximalConeRho = 1e5;  // see newton-cone
constexpr double kProximalConeAlpha = 1e-6;

}  // namespace

ProximalCone::ProximalCone() {
  proximal_.newton.settings.map = "cone";
  proximal_.newton.settings.rho_factor = kProximalConeRho;
  proximal_.settings.alpha = kProximalConeAlpha;
}

const SolverTraits& ProximalCone::traits() const {
  static const SolverTraits traits{"proximal-cone",
                                   "proximal point iterations around steps of newton-cone",
                                   "Rockafellar1976",
                                   {"conic_qp"}};
  return traits;
}

std::optional<std::string> ProximalCone::do_refusal(const Problem& problem) const {
  return ConeProblem::refusal(problem);
}

void ProximalCone::do_prepare(const Problem& problem) {
  problem_.build(problem, contact_scaling(proximal_.settings.scaling));
  proximal_.attach(problem_);
  r_.setZero(problem_.size());
}

void ProximalCone::do_solve(const Start& start, Observer* observer, Result& result) {
  problem_.from_start(start, r_);
  proximal_.solve(deadline(), limits, "violation of a cone", observer, r_, result);
  problem_.write(r_, result.z, result.dual);
}

}  // namespace perp
