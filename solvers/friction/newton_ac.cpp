#include <perp/solvers/friction/newton_ac.hpp>

#include <fmt/format.h>

namespace perp {

namespace {

constexpr int kNewtonAcIterationLimit = 100;

}  // namespace

const SolverTraits& NewtonAc::traits() const {
  static const SolverTraits traits{"newton-ac",
                                   "semismooth Newton on the Alart-Curnier or natural map",
                                   "AlartCurnier1991",
                                   {"friction_contact"}};
  return traits;
}

void NewtonAc::do_prepare(const Problem& problem) {
  problem_.build(std::get<FrictionContact>(problem.data), contact_scaling(settings.scaling));
  newton_.attach(problem_);
  r_.setZero(problem_.size());
}

void NewtonAc::do_solve(const Start& start, Observer* observer, Result& result) {
  const int limit = limits.max_iterations > 0 ? limits.max_iterations : kNewtonAcIterationLimit;
  newton_.begin(deadline(), limit);
  r_.setZero();
  if (start.z) problem_.to_scaled(*start.z, r_);
  result.status = newton_.run(0.0, r_, limits.tolerance, limit, observer, r_);
  problem_.to_posed(r_, result.z);
  result.iterations = newton_.iterations;
  if (result.status == Status::kStalled)
    result.message = fmt::format("the natural map stays at {:.1e}", newton_.measure());
  result.statistics.emplace_back("factorisations", newton_.system().factorisations);
  result.statistics.emplace_back("linear_solves", newton_.system().linear_solves);
  result.statistics.emplace_back("pivoted_factorisations", newton_.system().pivoted);
  result.statistics.emplace_back("least_squares_steps", newton_.least_squares_steps);
}

}  // namespace perp
