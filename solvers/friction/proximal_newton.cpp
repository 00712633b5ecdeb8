#include <perp/solvers/friction/proximal_newton.hpp>

#include <fmt/format.h>
#include <algorithm>

namespace perp {

namespace {

constexpr int kProximalIterationLimit = 5000;
constexpr double kShareOfTolerance = 0.3;  // least inner tolerance over the tolerance

}  // namespace

ProximalNewton::ProximalNewton() {
  newton_.settings.least_squares = "never";  // W + alpha I is regular enough
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
  newton_.attach(problem_);
  for (Vector* v : {&r_, &u_, &centre_, &best_}) v->setZero(problem_.size());
}

// Computes the measure at r, and keeps r if it is the best point.
void ProximalNewton::look_at(const Vector& r) {
  problem_.velocity(r, u_);
  measure_ = problem_.measure(r, u_);
  if (!(measure_ < best_measure_)) return;
  best_measure_ = measure_;
  best_ = r;
}

void ProximalNewton::do_solve(const Start& start, Observer* observer, Result& result) {
  newton_.begin(deadline(),
                limits.max_iterations > 0 ? limits.max_iterations : kProximalIterationLimit);
  centre_.setZero();
  if (start.z) problem_.to_scaled(*start.z, centre_);
  best_ = centre_;
  best_measure_ = measure_ = problem_.measure(centre_);
  double alpha = settings.alpha;
  int outer = 0;
  result.status = Status::kStalled;
  for (;; ++outer) {
    if (best_measure_ <= limits.tolerance && problem_.measure(best_) <= limits.tolerance) break;
    if (outer >= settings.outer_iterations) break;
    const double inner = std::max(kShareOfTolerance * limits.tolerance,
                                  settings.inner_accuracy * std::min(measure_, 1.0));
    const int before = newton_.iterations;
    r_ = centre_;
    const Status status = newton_.run(alpha, centre_, inner, settings.inner_steps, observer, r_);
    centre_ = r_;
    look_at(centre_);
    if (status == Status::kSolved) {
      if (newton_.iterations - before <= settings.easy_steps)
        alpha = std::max(settings.least_alpha, settings.decrease * alpha);
    } else if (status == Status::kStalled) {
      alpha *= settings.increase;
    } else {
      result.status = status;
      break;
    }
  }
  if (problem_.measure(best_) <= limits.tolerance) result.status = Status::kSolved;
  problem_.to_posed(best_, result.z);
  result.iterations = newton_.iterations;
  if (result.status == Status::kStalled)
    result.message = fmt::format("the natural map stays at {:.1e}", best_measure_);
  result.statistics.emplace_back("outer_iterations", outer);
  result.statistics.emplace_back("factorisations", newton_.system().factorisations);
  result.statistics.emplace_back("linear_solves", newton_.system().linear_solves);
  result.statistics.emplace_back("pivoted_factorisations", newton_.system().pivoted);
  result.statistics.emplace_back("last_alpha", alpha);
}

}  // namespace perp
