#include <perp/solvers/friction/proximal_newton.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace perp {

namespace {

constexpr int kIterationLimit = 5000;
constexpr int kOuterLimit = 1000;

}  // namespace

ProximalNewton::ProximalNewton() {
  newton_.settings.map = "ac";
  newton_.settings.least_squares = "never";
}

const SolverTraits& ProximalNewton::traits() const {
  static const SolverTraits traits{"proximal-newton",
                                   "proximal point iterations around semismooth Newton steps",
                                   "AcaryBremondHuber2018",
                                   {"friction_contact"}};
  return traits;
}

void ProximalNewton::do_prepare(const Problem& problem) {
  problem_.build(std::get<FrictionContact>(problem.data), contact_scaling(settings.scaling));
  sweeps_.attach(problem_);
  newton_.attach(problem_);
  for (Vector* v : {&r_, &u_, &centre_, &best_}) v->setZero(problem_.size());
}

void ProximalNewton::do_solve(const Vector* start, Observer* observer, Result& result) {
  const Deadline deadline(common.time_limit);
  newton_.begin(deadline, observer,
                common.max_iterations > 0 ? common.max_iterations : kIterationLimit);
  centre_.setZero();
  if (start) problem_.to_scaled(*start, centre_);
  best_ = centre_;
  double measure = problem_.measure(centre_), best = measure, alpha = settings.alpha;
  result.status = measure <= common.tolerance ? Status::kSolved : Status::kStalled;
  if (!start && result.status != Status::kSolved) {
    for (int k = 0; k < settings.first_sweeps; ++k) sweeps_.sweep(1.0, 0.0, k % 2 == 1, centre_);
    measure = problem_.measure(centre_);
    if (measure < best) {
      best = measure;
      best_ = centre_;
    }
  }
  int outer = 0;
  while (result.status == Status::kStalled && outer < kOuterLimit) {
    ++outer;
    r_ = centre_;
    const int before = newton_.iterations;
    const double inner =
        std::max(0.3 * common.tolerance, settings.inner_accuracy * std::min(measure, 1.0));
    const Status status = newton_.run(alpha, centre_, inner, settings.inner_steps, r_);
    const int steps = newton_.iterations - before;
    problem_.velocity(r_, u_);
    measure = problem_.measure(r_, u_);
    if (measure < best) {
      best = measure;
      best_ = r_;
    }
    if (best <= common.tolerance && problem_.measure(best_) <= common.tolerance) {
      result.status = Status::kSolved;
    } else if (status == Status::kSolved) {
      centre_ = r_;
      if (steps <= settings.easy_steps)
        alpha = std::max(settings.least_alpha, alpha * settings.decrease);
    } else if (status == Status::kStalled) {
      centre_ = r_;
      alpha *= settings.increase;
    } else {
      result.status = status;
    }
  }
  problem_.to_posed(best_, result.z);
  result.iterations = newton_.iterations;
  if (result.status == Status::kStalled)
    result.message = fmt::format("the natural map stays at {:.1e}", best);
  result.statistics.emplace_back("outer_iterations", outer);
  result.statistics.emplace_back("factorisations", newton_.system().factorisations);
  result.statistics.emplace_back("linear_solves", newton_.system().linear_solves);
  result.statistics.emplace_back("least_squares_steps", newton_.least_squares_steps);
  result.statistics.emplace_back("last_alpha", alpha);
}

}  // namespace perp
