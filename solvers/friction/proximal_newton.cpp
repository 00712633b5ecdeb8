#include <perp/solvers/friction/proximal_newton.hpp>

namespace perp {

const SolverTraits& ProximalNewton::traits() const {
  static const SolverTraits traits{"proximal-newton",
                                   "proximal point iterations around semismooth Newton steps",
                                   "AcaryBremondHuber2018",
                                   {"friction_contact"}};
  return traits;
}

void ProximalNewton::do_prepare(const Problem& problem) {
  problem_.build(std::get<FrictionContact>(problem.data),
                 contact_scaling(proximal_.settings.scaling));
  proximal_.attach(problem_);
  r_.setZero(problem_.size());
}

void ProximalNewton::do_solve(const Start& start, Observer* observer, Result& result) {
  r_.setZero();
  if (start.z) problem_.to_scaled(*start.z, r_);
  proximal_.solve(deadline(), limits, "natural map", observer, r_, result);
  problem_.to_posed(r_, result.z);
}

}  // namespace perp
