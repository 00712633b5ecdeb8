#include <perp/solvers/friction/newton_ac.hpp>

#include <fmt/format.h>
#include <algorithm>

namespace perp {

namespace {

constexpr int kIterationLimit = 1000;
constexpr int kStepsOfARun = 100;

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
  sweeps_.attach(problem_);
  newton_.attach(problem_);
  for (Vector* v : {&r_, &u_, &swept_, &best_}) v->setZero(problem_.size());
}

void NewtonAc::sweep(int count, const Deadline& deadline) {
  for (int k = 0; k < count && !deadline.passed(); ++k) sweeps_.sweep(1.0, 0.0, k % 2 == 1, swept_);
  if (!swept_.allFinite()) swept_ = best_;
  problem_.velocity(swept_, u_);
  const double measure = problem_.measure(swept_, u_);
  if (measure < best_measure_) {
    best_measure_ = measure;
    best_ = swept_;
  }
}

void NewtonAc::do_solve(const Start& start, Observer* observer, Result& result) {
  const Deadline deadline(limits.time_limit);
  newton_.begin(deadline, limits.max_iterations > 0 ? limits.max_iterations : kIterationLimit);
  swept_.setZero();
  if (start.z) problem_.to_scaled(*start.z, swept_);
  best_ = swept_;
  best_measure_ = problem_.measure(best_);
  if (best_measure_ > limits.tolerance) sweep(start.z ? 0 : settings.first_sweeps, deadline);
  int recoveries = 0;
  r_ = swept_;
  for (;; ++recoveries) {
    result.status = newton_.run(0.0, r_, limits.tolerance, kStepsOfARun, observer, r_);
    if (newton_.measure() <= best_measure_) {
      best_measure_ = newton_.measure();
      best_ = r_;
    }
    if (result.status != Status::kStalled || recoveries >= settings.recoveries) break;
    sweep(settings.fallback_sweeps << recoveries, deadline);
    r_ = swept_;
  }
  problem_.to_posed(best_, result.z);
  result.iterations = newton_.iterations;
  if (result.status == Status::kStalled)
    result.message = fmt::format("the natural map stays at {:.1e}", best_measure_);
  result.statistics.emplace_back("factorisations", newton_.system().factorisations);
  result.statistics.emplace_back("linear_solves", newton_.system().linear_solves);
  result.statistics.emplace_back("least_squares_steps", newton_.least_squares_steps);
  result.statistics.emplace_back("recoveries", recoveries);
}

}  // namespace perp
