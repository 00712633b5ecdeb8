#include <perp/solvers/projection/rpgs.hpp>

#include <perp/solvers/projection/progress.hpp>

#include <algorithm>

namespace perp {

namespace {

constexpr int kRpgsSweepLimit = 100'000;

}  // namespace

const SolverTraits& RegularisedProjectedGaussSeidel::traits() const {
  static const SolverTraits traits{
      "rpgs",
      "proximal point method with projected Gauss-Seidel sweeps, any diagonal",
      "Rockafellar1976",
      {"lcp", "mlcp"}};
  return traits;
}

void RegularisedProjectedGaussSeidel::do_prepare(const Problem& problem) {
  problem_.build(problem);
  sweeps_.prepare(problem_);
}

void RegularisedProjectedGaussSeidel::do_solve(const Start& start, Observer* observer,
                                               Result& result) {
  const int limit = limits.max_iterations > 0 ? limits.max_iterations : kRpgsSweepLimit;
  Progress progress(settings.patience);
  sweeps_.start(settings.rules);
  Vector& z = result.z;
  z.setZero(problem_.size());
  if (start.z) z = *start.z;
  problem_.clamp(z);

  IterationRecord record;
  record.step_type = "proximal";
  result.status = Status::kIterationLimit;
  double residual = problem_.natural_residual(z);
  if (residual <= limits.tolerance) result.status = Status::kSolved;
  int looked = 0;
  while (result.status != Status::kSolved && result.iterations < limit) {
    record.step = sweeps_.step(z, limit - result.iterations);
    result.iterations = sweeps_.sweeps;
    ++record.iteration;
    record.residual = Residuals::kNone;
    if (result.iterations - looked >= settings.check_every || result.iterations >= limit) {
      record.residual = residual = problem_.natural_residual(z);
      looked = result.iterations;
      progress.look(residual);
      if (residual <= limits.tolerance) result.status = Status::kSolved;
    }
    if (ends_here({record, progress, deadline(), sweeps_.hopeless, residual, "sweeps"}, observer,
                  result))
      break;
  }
  result.statistics.emplace_back("sweeps", result.iterations);
  result.statistics.emplace_back("proximal_steps", record.iteration);
  result.statistics.emplace_back("theta", sweeps_.theta);
}

}  // namespace perp
