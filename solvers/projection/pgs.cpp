#include <perp/solvers/projection/pgs.hpp>

#include <perp/solvers/projection/progress.hpp>

#include <fmt/format.h>
#include <algorithm>

namespace perp {

namespace {

constexpr int kPgsSweepLimit = 10'000;

}  // namespace

const SolverTraits& ProjectedGaussSeidel::traits() const {
  static const SolverTraits traits{"pgs",
                                   "projected Gauss-Seidel and SOR sweeps, positive diagonal",
                                   "Cryer1971",
                                   {"lcp", "mlcp"}};
  return traits;
}

std::optional<std::string> ProjectedGaussSeidel::do_refusal(const Problem& problem) const {
  const auto* mlcp = std::get_if<Mlcp>(&problem.data);
  const Matrix& m = mlcp ? mlcp->M : std::get<Lcp>(problem.data).M;
  for (int i = 0; i < m.rows(); ++i) {
    const bool fixed = mlcp && mlcp->lower[i] == mlcp->upper[i];
    const bool free = mlcp && std::isinf(mlcp->lower[i]) && std::isinf(mlcp->upper[i]);
    const double diagonal = m.coefficient(i, i);
    if (fixed || diagonal > 0 || (free && diagonal < 0)) continue;
    return fmt::format(
        "pgs divides by the diagonal of M, which is {} in row {} ({}); rpgs takes such rows",
        diagonal, i, problem.variable_name(i));
  }
  return {};
}

void ProjectedGaussSeidel::do_prepare(const Problem& problem) {
  problem_.build(problem);
  step_.setZero(problem_.size());
}

void ProjectedGaussSeidel::do_solve(const Start& start, Observer* observer, Result& result) {
  const int limit = limits.max_iterations > 0 ? limits.max_iterations : kPgsSweepLimit;
  const int every = settings.check_every;
  Progress progress(settings.patience);
  for (int i = 0; i < problem_.size(); ++i) {
    step_[i] = problem_.is_fixed(i) ? 0.0 : settings.relaxation / problem_.diagonal[i];
  }
  Vector& z = result.z;
  z.setZero(problem_.size());
  if (start.z) z = *start.z;
  problem_.clamp(z);

  IterationRecord record;
  record.step_type = "sweep";
  result.status = Status::kIterationLimit;
  double residual = problem_.natural_residual(z);
  if (residual <= limits.tolerance) result.status = Status::kSolved;
  while (result.status != Status::kSolved && result.iterations < limit) {
    const bool backward = settings.symmetric && result.iterations % 2 == 1;
    record.step = projected_sweep(problem_, step_, nullptr, backward, z);
    record.iteration = ++result.iterations;
    record.residual = Residuals::kNone;
    if (result.iterations % every == 0 || result.iterations == limit) {
      record.residual = residual = problem_.natural_residual(z);
      progress.look(residual);
      if (residual <= limits.tolerance) result.status = Status::kSolved;
    }
    if (ends_here({record, progress, deadline(), !std::isfinite(record.step), residual, "sweeps"},
                  observer, result))
      break;
  }
  result.statistics.emplace_back("sweeps", result.iterations);
}

}  // namespace perp
