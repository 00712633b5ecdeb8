#include <perp/solvers/friction/proximal_contacts.hpp>

#include <fmt/format.h>
#include <algorithm>

namespace perp {

namespace {

constexpr int kProximalIterationLimit = 5000;
constexpr double kShareOfTolerance = 0.3;  // least inner tolerance over the tolerance

}  // namespace

ProximalContacts::ProximalContacts() {
  newton.settings.least_squares = "never";  // W + alpha I is regular enough
}

void ProximalContacts::attach(const ContactProblem& problem) {
  problem_ = &problem;
  newton.attach(problem);
  for (Vector* v : {&r_, &u_, &centre_}) v->setZero(problem.size());
}

// Computes the measure at r, and keeps r if it is the best point.
void ProximalContacts::look_at(const Vector& r, Vector& best) {
  problem_->velocity(r, u_);
  measure_ = problem_->measure(r, u_);
  if (!(measure_ < best_measure_)) return;
  best_measure_ = measure_;
  best = r;
}

void ProximalContacts::solve(const Deadline& deadline, const Limits& limits,
                             std::string_view measure_name, Observer* observer, Vector& best,
                             Result& result) {
  newton.begin(deadline,
               limits.max_iterations > 0 ? limits.max_iterations : kProximalIterationLimit);
  centre_ = best;
  best_measure_ = measure_ = problem_->measure(centre_);
  double alpha = settings.alpha;
  int outer = 0;
  result.status = Status::kStalled;
  for (;; ++outer) {
    if (best_measure_ <= limits.tolerance && problem_->measure(best) <= limits.tolerance) break;
    if (outer >= settings.outer_iterations) break;
    const double inner = std::max(kShareOfTolerance * limits.tolerance,
                                  settings.inner_accuracy * std::min(measure_, 1.0));
    const int before = newton.iterations;
    r_ = centre_;
    const Status status = newton.run(alpha, centre_, inner, settings.inner_steps, observer, r_);
    centre_ = r_;
    look_at(centre_, best);
    if (status == Status::kSolved) {
      if (newton.iterations - before <= settings.easy_steps)
        alpha = std::max(settings.least_alpha, settings.decrease * alpha);
    } else if (status == Status::kStalled) {
      alpha *= settings.increase;
    } else {
      result.status = status;
      break;
    }
  }
  if (problem_->measure(best) <= limits.tolerance) result.status = Status::kSolved;
  result.iterations = newton.iterations;
  if (result.status == Status::kStalled)
    result.message = fmt::format("the {} stays at {:.1e}", measure_name, best_measure_);
  result.statistics.emplace_back("outer_iterations", outer);
  result.statistics.emplace_back("factorisations", newton.system().factorisations);
  result.statistics.emplace_back("linear_solves", newton.system().linear_solves);
  result.statistics.emplace_back("pivoted_factorisations", newton.system().pivoted);
  result.statistics.emplace_back("last_alpha", alpha);
}

}  // namespace perp
