#include <perp/problems/standard/verifier.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace perp {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Below this, q is rounding dust and a residual relative to it means nothing.
constexpr double kVanishingNorm = 1e-14;

double measure_of(const FrictionContact& problem, const Residuals& r) {
  return problem.q.norm() <= kVanishingNorm ? r.natural : r.relative;
}

template <class P>
double measure_of(const P&, const Residuals& r) {
  return r.natural;
}

Residuals residuals_of(const ConicQp& problem, const Answer& answer) {
  return evaluate_residuals(problem, answer.z, answer.dual);
}

template <class P>
Residuals residuals_of(const P& problem, const Answer& answer) {
  return evaluate_residuals(problem, answer.z);
}

}  // namespace

Verdict verify(const ProblemData& data, const Answer& answer, double tolerance) {
  return std::visit(
      [&](const auto& problem) {
        Verdict verdict;
        verdict.tolerance = tolerance;
        verdict.residuals = residuals_of(problem, answer);
        verdict.measure = measure_of(problem, verdict.residuals);
        verdict.solved = verdict.measure <= tolerance;  // false for NaN
        return verdict;
      },
      data);
}

Verdict verify(const Problem& problem, const Answer& answer, double tolerance) {
  return verify(problem.data, answer, tolerance);
}

FarkasCheck check_farkas(const Mlcp& p, const Vector& y) {
  const int n = p.size();
  if (y.size() != n) throw std::invalid_argument("y: wrong length");
  FarkasCheck check;
  if (!y.allFinite()) return check;
  for (int i = 0; i < n; ++i) {
    const bool has_lower = p.lower[i] > -kInfinity, has_upper = p.upper[i] < kInfinity;
    const bool allowed =
        has_lower ? (has_upper ? y[i] == 0 : y[i] >= 0) : (!has_upper || y[i] <= 0);
    if (!allowed) return check;
  }
  const Vector g = p.M.multiply_transposed(y);
  long double supremum = 0, size = 0;
  check.violation = 0.0;
  const auto add = [&](double a, double b) {
    supremum += static_cast<long double>(a) * b;
    size += std::abs(static_cast<long double>(a) * b);
  };
  for (int j = 0; j < n; ++j) {
    add(p.q[j], y[j]);
    if (g[j] == 0) continue;
    const double bound = g[j] > 0 ? p.upper[j] : p.lower[j];
    if (std::isinf(bound)) {
      check.violation = std::max(check.violation, std::abs(g[j]));
    } else {
      add(g[j], bound);
    }
  }
  check.supremum = static_cast<double>(supremum);
  const double margin = -check.supremum;
  check.radius = check.violation > 0 ? margin / check.violation : kInfinity;
  const double largest_q = n > 0 ? p.q.cwiseAbs().maxCoeff() : 0.0;
  const double length = std::max(1.0, largest_q / std::max(p.M.max_abs(), 1e-300));
  check.holds =
      margin > 1e-12 * static_cast<double>(size) && margin > 0 && check.radius >= 1e10 * length;
  return check;
}

FarkasCheck check_farkas(const Lcp& p, const Vector& y) {
  return check_farkas(Mlcp{p.M, p.q, Vector::Zero(p.size()), Vector::Constant(p.size(), kInfinity)},
                      y);
}

bool check_ray(const Mlcp& p, const Vector& z) {
  const int n = p.size();
  if (z.size() != n) throw std::invalid_argument("z: wrong length");
  const double size = n > 0 ? z.cwiseAbs().maxCoeff() : 0.0;
  if (!(size > 0) || !std::isfinite(size)) return false;
  const Vector w = p.M.multiply(z);
  const double small = 1e-9, largest = std::max(p.M.max_abs(), 1e-300) * size;
  long double work = 0, work_size = 0;
  for (int i = 0; i < n; ++i) {
    if (p.upper[i] < kInfinity || (p.lower[i] != 0.0 && p.lower[i] > -kInfinity)) return false;
    const bool bounded = p.lower[i] == 0.0;
    if (bounded && z[i] < -small * size) return false;
    if (w[i] < -small * largest || (!bounded && w[i] > small * largest)) return false;
    if (std::abs(z[i] * w[i]) > small * size * largest) return false;
    work += static_cast<long double>(p.q[i]) * z[i];
    work_size += std::abs(static_cast<long double>(p.q[i]) * z[i]);
  }
  return work < -small * work_size && work_size > 0;
}

}  // namespace perp
