#include <perp/solvers/friction/proximal_pyramid.hpp>

namespace perp {

ProximalPyramid::ProximalPyramid() { proximal_.newton.settings.map = "pyramid"; }

const SolverTraits& ProximalPyramid::traits() const {
  static const SolverTraits traits{"proximal-pyramid",
                                   "proximal point iterations around steps of newton-pyramid",
                                   "Rockafellar1976",
                                   {"lcp"}};
  return traits;
}

std::optional<std::string> ProximalPyramid::do_refusal(const Problem& problem) const {
  return PyramidProblem::refusal(problem);
}

void ProximalPyramid::do_prepare(const Problem& problem) {
  problem_.build(problem, contact_scaling(proximal_.settings.scaling));
  proximal_.attach(problem_);
  r_.setZero(problem_.size());
}

void ProximalPyramid::do_solve(const Start& start, Observer* observer, Result& result) {
  r_.setZero();
  if (start.z) problem_.from_lcp(*start.z, r_);
  proximal_.solve(deadline(), limits, "natural residual", observer, r_, result);
  problem_.to_lcp(r_, result.z);
}

}  // namespace perp
