#include <perp/solvers/friction/newton_pyramid.hpp>

#include <fmt/format.h>

namespace perp {

namespace {

constexpr int kNewtonPyramidIterationLimit = 200;
constexpr double kNewtonPyramidProximal = 1e-5;

}  // namespace

NewtonPyramid::NewtonPyramid() {
  newton_.settings.map = "pyramid";
  newton_.settings.proximal = kNewtonPyramidProximal;
  newton_.settings.least_squares = "never";
}

const SolverTraits& NewtonPyramid::traits() const {
  static const SolverTraits traits{"newton-pyramid",
                                   "semismooth Newton on the friction pyramids of contacts",
                                   "AlartCurnier1991",
                                   {"lcp"}};
  return traits;
}

std::optional<std::string> NewtonPyramid::do_refusal(const Problem& problem) const {
  return PyramidProblem::refusal(problem);
}

void NewtonPyramid::do_prepare(const Problem& problem) {
  problem_.build(problem, contact_scaling(settings.scaling));
  newton_.attach(problem_);
  r_.setZero(problem_.size());
}

void NewtonPyramid::do_solve(const Start& start, Observer* observer, Result& result) {
  const int limit =
      limits.max_iterations > 0 ? limits.max_iterations : kNewtonPyramidIterationLimit;
  newton_.begin(deadline(), limit);
  r_.setZero();
  if (start.z) problem_.from_lcp(*start.z, r_);
  result.status = newton_.run(0.0, r_, limits.tolerance, limit, observer, r_);
  problem_.to_lcp(r_, result.z);
  result.iterations = newton_.iterations;
  if (result.status == Status::kStalled)
    result.message = fmt::format("the natural residual stays at {:.1e}", newton_.measure());
  result.statistics.emplace_back("factorisations", newton_.system().factorisations);
  result.statistics.emplace_back("linear_solves", newton_.system().linear_solves);
  result.statistics.emplace_back("pivoted_factorisations", newton_.system().pivoted);
}

}  // namespace perp
