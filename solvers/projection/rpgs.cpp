#include <perp/solvers/projection/rpgs.hpp>

#include <perp/solvers/projection/progress.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <stdexcept>

namespace perp {

namespace {

constexpr int kSweepLimit = 100'000;
constexpr double kSmallWeight = 1e-3;  // of rows whose sweeps need no regularisation
constexpr double kGrow = 4.0, kShrink = 0.8;
constexpr double kLeastTheta = 1e-6, kLargestTheta = 1e6;

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
  weigh_rows();
  step_.setZero(problem_.size());
  proximal_.weight.setZero(problem_.size());
  proximal_.centre.setZero(problem_.size());
}

void RegularisedProjectedGaussSeidel::weigh_rows() {
  const int n = problem_.size();
  const Vector& d = problem_.diagonal;
  double mean = 0.0;
  for (int i = 0; i < n; ++i) mean += std::abs(d[i]) / n;
  if (mean == 0.0) mean = 1.0;
  weights_.setZero(n);
  // |M_ij M_ji| over pairs of opposite sign: the entries M_ji of column i meet those of row i.
  std::vector<double> row(n, 0.0);
  std::vector<std::vector<std::pair<int, double>>> columns(n);
  for (int i = 0; i < n; ++i) {
    problem_.for_row(i, [&](int j, double value) {
      if (value != 0.0 && i != j) columns[j].emplace_back(i, value);
    });
  }
  for (int i = 0; i < n; ++i) {
    problem_.for_row(i, [&](int j, double value) { row[j] = value; });
    double sum = 0.0;
    for (const auto& [j, m_ji] : columns[i]) {
      const double product = row[j] * m_ji;
      if (product < 0) sum += d[j] > 0 ? -product / d[j] : std::sqrt(-product);
    }
    problem_.for_row(i, [&](int j, double) { row[j] = 0.0; });
    weights_[i] = std::max(sum - d[i], kSmallWeight * mean);
    if (sum == 0.0 && d[i] <= 0) weights_[i] = mean - d[i];
  }
}

void RegularisedProjectedGaussSeidel::set_regularisation(double theta) {
  for (int i = 0; i < problem_.size(); ++i) {
    const double shift = std::max(0.0, -problem_.diagonal[i]);  // keeps the diagonal positive
    proximal_.weight[i] = theta * weights_[i] + shift;
    step_[i] = problem_.is_fixed(i)
                   ? 0.0
                   : settings.relaxation / (problem_.diagonal[i] + proximal_.weight[i]);
  }
}

double RegularisedProjectedGaussSeidel::inner_sweeps(Vector& z, int budget, int& sweeps) {
  proximal_.centre = z;
  double share = 1.0, first = 0.0;
  for (int k = 0; k < std::min(budget, std::max(1, settings.inner_sweeps)); ++k) {
    const bool backward = settings.symmetric && sweeps % 2 == 1;
    const double change = projected_sweep(problem_, step_, &proximal_, backward, z);
    ++sweeps;
    if (k == 0) first = change;
    if (!std::isfinite(change)) return std::numeric_limits<double>::infinity();
    const double moved = (z - proximal_.centre).norm();
    share = moved > 0 ? change / moved : 0.0;
    if (k > 0 && change > 2.0 * first) return std::numeric_limits<double>::infinity();
    if (k > 0 && share <= settings.inner_accuracy) break;
    if (moved == 0.0) break;
  }
  return share;
}

void RegularisedProjectedGaussSeidel::do_solve(const Vector* start, Observer* observer,
                                               Result& result) {
  if (!(settings.relaxation > 0 && settings.relaxation < 2)) {
    throw std::invalid_argument("setting \"relaxation\": not between 0 and 2");
  }
  const Deadline deadline(common.time_limit);
  const int limit = common.max_iterations > 0 ? common.max_iterations : kSweepLimit;
  Progress progress(std::max(1, settings.patience));
  double theta = std::clamp(settings.regularisation, kLeastTheta, kLargestTheta);
  set_regularisation(theta);
  Vector& z = result.z;
  z.setZero(problem_.size());
  if (start) z = *start;
  problem_.clamp(z);

  IterationRecord record;
  record.step_type = "proximal";
  result.status = Status::kIterationLimit;
  double residual = problem_.natural_residual(z);
  if (residual <= common.tolerance) result.status = Status::kSolved;
  int looked = 0, outer = 0;
  while (result.status != Status::kSolved && result.iterations < limit) {
    const double share = inner_sweeps(z, limit - result.iterations, result.iterations);
    ++outer;
    if (std::isinf(share)) z = proximal_.centre;  // undone: theta was too small
    if (settings.adaptive) {
      const bool contracted = share <= settings.inner_accuracy;
      const double factor = std::isinf(share) ? kGrow : contracted ? kShrink : 1.0 / kShrink;
      theta = std::clamp(factor * theta, kLeastTheta, kLargestTheta);
      set_regularisation(theta);
    }
    record.iteration = outer;
    record.residual = Residuals::kNone;
    record.step = share;
    if (result.iterations - looked >= settings.check_every || result.iterations >= limit) {
      record.residual = residual = problem_.natural_residual(z);
      looked = result.iterations;
      progress.look(residual);
      if (residual <= common.tolerance) result.status = Status::kSolved;
    }
    if (observer && !observer->on_iteration(record)) {
      result.status = Status::kInterrupted;
    } else if (result.status == Status::kSolved) {
      break;
    } else if (progress.diverged || (std::isinf(share) && theta >= kLargestTheta)) {
      result.status = Status::kNumericalError;
      result.message = "the sweeps diverge";
    } else if (progress.stalled) {
      result.status = Status::kStalled;
      result.message = fmt::format("the residual stays at {:.1e}", residual);
    } else if (deadline.passed()) {
      result.status = Status::kTimeLimit;
    } else {
      continue;
    }
    break;
  }
  result.statistics.emplace_back("sweeps", result.iterations);
  result.statistics.emplace_back("outer_steps", outer);
  result.statistics.emplace_back("theta", theta);
}

}  // namespace perp
