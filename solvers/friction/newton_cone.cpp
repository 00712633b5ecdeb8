#include <perp/solvers/friction/newton_cone.hpp>

#include <fmt/format.h>

namespace perp {

namespace {

constexpr int kNewtonConeIterationLimit = 100;
// A pair of cones that touch in a point has a slack and an impulse near 0. A large rho tells from
// the slack, which the data determine, on which side it is; the impulse may have far to go.
constexpr double kNewtonConeRho = 1e6;
constexpr double kNewtonConeProximal = 1e-8, kNewtonConeProximalFactor = 1e-6;
constexpr int kNewtonConePatience = 60;

}  // namespace

NewtonCone::NewtonCone() {
  newton_.settings.map = "cone";
  newton_.settings.rho_factor = kNewtonConeRho;
  newton_.settings.proximal = kNewtonConeProximal;
  newton_.settings.proximal_factor = kNewtonConeProximalFactor;
  newton_.settings.patience = kNewtonConePatience;
  newton_.settings.least_squares = "never";
}

const SolverTraits& NewtonCone::traits() const {
  static const SolverTraits traits{"newton-cone",
                                   "semismooth Newton on the cones of contacts in convex programs",
                                   "QiSun1993",
                                   {"conic_qp"}};
  return traits;
}

std::optional<std::string> NewtonCone::do_refusal(const Problem& problem) const {
  return ConeProblem::refusal(problem);
}

void NewtonCone::do_prepare(const Problem& problem) {
  problem_.build(problem, contact_scaling(settings.scaling));
  newton_.attach(problem_);
  r_.setZero(problem_.size());
}

void NewtonCone::do_solve(const Start& start, Observer* observer, Result& result) {
  const int limit = limits.max_iterations > 0 ? limits.max_iterations : kNewtonConeIterationLimit;
  newton_.begin(deadline(), limit);
  problem_.from_start(start, r_);
  result.status = newton_.run(0.0, r_, limits.tolerance, limit, observer, r_);
  problem_.write(r_, result.z, result.dual);
  result.iterations = newton_.iterations;
  if (result.status == Status::kStalled)
    result.message = fmt::format("the violation of a cone stays at {:.1e}", newton_.measure());
  result.statistics.emplace_back("factorisations", newton_.system().factorisations);
  result.statistics.emplace_back("linear_solves", newton_.system().linear_solves);
  result.statistics.emplace_back("pivoted_factorisations", newton_.system().pivoted);
}

}  // namespace perp
