#include <perp/solvers/friction/nsgs.hpp>

#include <perp/solvers/projection/progress.hpp>

#include <algorithm>

namespace perp {

namespace {

constexpr int kNsgsSweepLimit = 100'000;

}  // namespace

const SolverTraits& Nsgs::traits() const {
  static const SolverTraits traits{"nsgs",
                                   "nonsmooth Gauss-Seidel, every contact solved exactly",
                                   "JourdanAlartJean1998",
                                   {"friction_contact"}};
  return traits;
}

void Nsgs::do_prepare(const Problem& problem) {
  problem_.build(std::get<FrictionContact>(problem.data), contact_scaling(settings.scaling));
  sweeps_.attach(problem_);
  for (Vector* v : {&r_, &u_, &best_}) v->setZero(problem_.size());
}

void Nsgs::do_solve(const Start& start, Observer* observer, Result& result) {
  const int limit = limits.max_iterations > 0 ? limits.max_iterations : kNsgsSweepLimit;
  const int every = settings.check_every;
  Progress progress(settings.patience);
  if (settings.order == "random") {
    sweeps_.order_at_random(settings.seed);
  } else {
    sweeps_.order_as_given();
  }
  r_.setZero();
  if (start.z) problem_.to_scaled(*start.z, r_);
  best_ = r_;
  double best = problem_.measure(r_);

  IterationRecord record;
  record.step_type = "sweep";
  result.status = best <= limits.tolerance ? Status::kSolved : Status::kIterationLimit;
  while (result.status != Status::kSolved && result.iterations < limit) {
    const bool backward = settings.symmetric && result.iterations % 2 == 1;
    record.step = sweeps_.sweep(settings.relaxation, settings.regularisation, backward, r_);
    record.iteration = ++result.iterations;
    record.residual = Residuals::kNone;
    if (result.iterations % every == 0 || result.iterations == limit) {
      problem_.velocity(r_, u_);
      record.residual = problem_.measure(r_, u_);
      if (record.residual <= limits.tolerance) record.residual = problem_.measure(r_);
      progress.look(record.residual);
      if (record.residual < best) {
        best = record.residual;
        best_ = r_;
      }
      if (best <= limits.tolerance) result.status = Status::kSolved;
    }
    if (ends_here({record, progress, deadline(), !std::isfinite(record.step), best, "sweeps"},
                  observer, result))
      break;
  }
  problem_.to_posed(best_, result.z);
  result.statistics.emplace_back("sweeps", result.iterations);
}

}  // namespace perp
