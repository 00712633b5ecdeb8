#include <perp/solvers/multigrid/multigrid.hpp>

#include <perp/problems/standard/residuals.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <perp/problems/matrix/infinity.hpp>

namespace perp {

namespace {

constexpr double kMultigridSymmetric = 1e-14;
constexpr int kMultigridIterationLimit = 1000;
constexpr double kEnergyRounding = 1e-13;  // relative difference of energies that count as equal
constexpr double kNestedGain = 1e-3;       // factor on the residual that ends a coarser problem

}  // namespace

const SolverTraits& Multigrid::traits() const {
  static const SolverTraits traits{
      "multigrid",
      "truncated nonsmooth Newton multigrid, sparse symmetric positive definite M",
      "GraeserKornhuber2009",
      {"lcp", "mlcp"}};
  return traits;
}

std::optional<std::string> Multigrid::do_refusal(const Problem& problem) const {
  const auto* lcp = std::get_if<Lcp>(&problem.data);
  const Matrix& m = lcp ? lcp->M : std::get<Mlcp>(problem.data).M;
  if (!m.is_sparse()) return "multigrid takes sparse matrices";
  if (!m.is_symmetric(kMultigridSymmetric)) return "multigrid takes symmetric matrices";
  for (int i = 0; i < m.rows(); ++i) {
    if (m.coefficient(i, i) > 0) continue;
    return fmt::format("multigrid asks for a positive diagonal of M, which is {} in row {}",
                       m.coefficient(i, i), i);
  }
  return {};
}

void Multigrid::do_prepare(const Problem& problem) {
  problem_.build(problem);
  const auto* lcp = std::get_if<Lcp>(&problem.data);
  const Matrix& m = lcp ? lcp->M : std::get<Mlcp>(problem.data).M;
  hierarchy_.build(m.sparse(), problem_.q, problem_.lower, problem_.upper);
}

void Multigrid::do_solve(const Start& start, Observer* observer, Result& result) {
  const int limit = limits.max_iterations > 0 ? limits.max_iterations : kMultigridIterationLimit;
  Progress progress(settings.patience);
  truncations_ = returns_ = 0;
  truncated_level_ = -1;
  MultigridLevel& finest = hierarchy_.level(0);
  finest.z.setZero();
  if (start.z) {
    finest.z = *start.z;
  } else if (settings.nested) {
    nested_start();
  }
  problem_.clamp(finest.z);
  best_energy_ = kInfinity;
  without_gain_ = 0;

  IterationRecord record;
  record.step_type = "cycle";
  result.status = Status::kIterationLimit;
  while (true) {
    record.iteration = result.iterations;
    const double natural = natural_residual(finest);
    record.residual = natural;
    progress.look(natural);
    if (natural <= limits.tolerance && problem_.natural_residual(finest.z) <= limits.tolerance) {
      result.status = Status::kSolved;
    } else if (observer && result.iterations > 0 && !observer->on_iteration(record)) {
      result.status = Status::kInterrupted;
    } else if (progress.diverged) {
      result.status = Status::kNumericalError;
      result.message = "the residual is not finite or grows";
    } else if (progress.stalled) {
      result.status = Status::kStalled;
      result.message = fmt::format("the residual stays at {:.1e}", natural);
    } else if (deadline().passed()) {
      result.status = Status::kTimeLimit;
    } else if (result.iterations < limit) {
      iterate(0);
      ++result.iterations;
      continue;
    }
    break;
  }
  result.z = finest.z;
  result.statistics.emplace_back("levels", hierarchy_.depth());
  result.statistics.emplace_back("operator_complexity", hierarchy_.operator_complexity());
  result.statistics.emplace_back("truncations", truncations_);
  result.statistics.emplace_back("returns", returns_);
}

// Solves the coarsest problem first; each solution is the start of the next finer problem.
void Multigrid::nested_start() {
  for (int k = hierarchy_.depth() - 1; k >= 0 && !deadline().passed(); --k) {
    MultigridLevel& level = hierarchy_.level(k);
    level.z = Vector::Zero(level.size());
    level.z = level.z.cwiseMax(level.lower).cwiseMin(level.upper);
    if (k + 1 < hierarchy_.depth()) {
      const double* const coarse = hierarchy_.level(k + 1).z.data();
      for (int i = 0; i < level.size(); ++i) level.z[i] += level.prolongation.row_dot(i, coarse);
      level.z = level.z.cwiseMax(level.lower).cwiseMin(level.upper);
    }
    if (k == 0) break;
    best_energy_ = kInfinity;
    const double first = natural_residual(level);
    for (int c = 0; c < settings.nested_cycles && !deadline().passed(); ++c) {
      iterate(k);
      if (natural_residual(level) <= kNestedGain * first) break;
    }
  }
}

// One step of the method on the problem of level k.
void Multigrid::iterate(int k) {
  MultigridLevel& level = hierarchy_.level(k);
  projected_sweeps(level);
  bool careful = false;
  const double energy = evaluate_force(level);
  if (energy <= best_energy_ + kEnergyRounding * std::abs(best_energy_)) {
    best_energy_ = std::min(energy, best_energy_);
    level.best = level.z;
    without_gain_ = 0;
  } else if (++without_gain_ > settings.watchdog) {
    level.z = level.best;
    evaluate_force(level);
    without_gain_ = 0;
    careful = true;
    ++returns_;
  }
  if (update_mask(level) || truncated_level_ != k) {
    hierarchy_.truncate(k);
    truncated_level_ = k;
    ++truncations_;
  }
  for (int i = 0; i < level.size(); ++i) level.right[i] = level.mask[i] ? level.force[i] : 0.0;
  hierarchy_.cycle(k);
  correct(level, careful);
}

// force := -(Az + q). @return the energy 1/2 z'Az + q'z.
double Multigrid::evaluate_force(MultigridLevel& level) {
  level.a.multiply(level.z.data(), level.force.data());
  level.force = -(level.force + level.q);
  return 0.5 * (level.q.dot(level.z) - level.force.dot(level.z));
}

// ||mid(z - l, z - u, Az + q)||_inf in plain double.
double Multigrid::natural_residual(const MultigridLevel& level) {
  double largest = 0.0;
  for (int i = 0; i < level.size(); ++i) {
    const double w = level.a.row_dot(i, level.z.data()) + level.q[i];
    if (!std::isfinite(w)) return kInfinity;
    largest = std::max(largest,
                       std::abs(mid(level.z[i] - level.lower[i], level.z[i] - level.upper[i], w)));
  }
  return largest;
}

// z_i := mid(l_i, u_i, z_i - (Az + q)_i / a_ii), forward and backward.
void Multigrid::projected_sweeps(MultigridLevel& level) {
  const Csr& a = level.a;
  const int n = level.size();
  double* const z = level.z.data();
  for (int half = 0; half < 2 * settings.sweeps; ++half) {
    for (int m = 0; m < n; ++m) {
      const int i = half % 2 == 0 ? m : n - 1 - m;
      double sum = level.q[i], diagonal = 0.0;
      for (int k = a.start[i]; k < a.start[i + 1]; ++k) {
        if (a.column[k] == i) diagonal = a.value[k];
        sum += a.value[k] * z[a.column[k]];
      }
      z[i] = std::min(std::max(z[i] - sum / diagonal, level.lower[i]), level.upper[i]);
    }
  }
}

// @return true if the set of unknowns at their bounds has changed.
bool Multigrid::update_mask(MultigridLevel& level) {
  bool changed = false;
  for (int i = 0; i < level.size(); ++i) {
    const char off = level.z[i] > level.lower[i] && level.z[i] < level.upper[i];
    changed = changed || off != level.mask[i];
    level.mask[i] = off;
  }
  return changed;
}

// z := z + alpha c with c cut at the bounds. The energy along c is least at force'c / c'Ac. alpha
// is this value, but at most the largest feasible one; unless `careful`, it is at least 1.
void Multigrid::correct(MultigridLevel& level, bool careful) {
  Vector& c = level.correction;
  for (int i = 0; i < level.size(); ++i) {
    const double wanted = level.z[i] + (level.mask[i] ? c[i] : 0.0);
    c[i] = std::min(std::max(wanted, level.lower[i]), level.upper[i]) - level.z[i];
  }
  level.a.multiply(c.data(), level.w.data());
  const double slope = level.force.dot(c), curvature = c.dot(level.w);
  if (!(curvature > 0) || (careful && !(slope > 0))) return;
  double alpha = slope / curvature;
  if (!careful) alpha = std::max(1.0, alpha);
  for (int i = 0; i < level.size() && alpha > 1.0; ++i) {
    if (c[i] == 0.0) continue;
    const double bound = c[i] > 0 ? level.upper[i] : level.lower[i];
    alpha = std::max(1.0, std::min(alpha, (bound - level.z[i]) / c[i]));
  }
  level.z = (level.z + alpha * c).cwiseMax(level.lower).cwiseMin(level.upper);
}

}  // namespace perp
