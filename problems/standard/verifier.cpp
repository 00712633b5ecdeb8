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

namespace {

constexpr double kBeyondRounding = 1e-12;  // of the sizes of what is summed
constexpr double kFarAway = 1e10;          // radius within which a certificate is a proof

double largest(const Vector& v) { return v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0; }

// a'b and the sum of |a_i b_i|.
std::pair<double, double> dot(const Vector& a, const Vector& b) {
  long double sum = 0, size = 0;
  for (Eigen::Index i = 0; i < a.size(); ++i) {
    const long double term = static_cast<long double>(a[i]) * b[i];
    sum += term;
    size += std::abs(term);
  }
  return {static_cast<double>(sum), static_cast<double>(size)};
}

// How far v is from the product of cones, in its largest entry; of a second-order cone (t, x) the
// excess of ||x|| over t.
double distance_from_cones(const Vector& v, const std::vector<Cone>& cones, bool dual) {
  long double distance = 0;
  int offset = 0;
  for (const Cone& cone : cones) {
    if (cone.type == ConeType::kSecondOrder) {
      long double squares = 0;
      for (int i = 1; i < cone.size; ++i)
        squares += static_cast<long double>(v[offset + i]) * v[offset + i];
      distance = std::max(distance, std::sqrt(squares) - v[offset]);
    } else if (cone.type == ConeType::kNonnegative || !dual) {
      const bool zero = cone.type == ConeType::kZero;
      for (int i = offset; i < offset + cone.size; ++i)
        distance = std::max<long double>(distance, zero ? std::abs(v[i]) : -v[i]);
    }
    offset += cone.size;
  }
  return static_cast<double>(distance);
}

}  // namespace

FarkasCheck check_farkas(const ConicQp& p, const Vector& y) {
  if (y.size() != p.b.size()) throw std::invalid_argument("y: wrong length");
  FarkasCheck check;
  if (!y.allFinite() || distance_from_cones(y, p.cones, true) > 0) return check;
  const auto [sum, size] = dot(p.b, y);
  check.supremum = sum;
  check.violation = largest(p.A.multiply_transposed(y));
  check.radius = check.violation > 0 ? -sum / check.violation : kInfinity;
  const double length = std::max(1.0, largest(p.b) / std::max(p.A.max_abs(), 1e-300));
  check.holds = -sum > kBeyondRounding * size && check.radius >= kFarAway * length;
  return check;
}

UnboundedCheck check_unbounded(const ConicQp& p, const Vector& x) {
  if (x.size() != p.size()) throw std::invalid_argument("x: wrong length");
  UnboundedCheck check;
  if (!x.allFinite()) return check;
  const auto [sum, size] = dot(p.c, x);
  check.slope = sum;
  const Vector s = -p.A.multiply(x);
  check.violation = std::max(largest(p.P.multiply(x)), distance_from_cones(s, p.cones, false));
  check.radius = check.violation > 0 ? -sum / check.violation : kInfinity;
  const double data = std::max({p.P.max_abs(), p.A.max_abs(), 1e-300});
  check.holds = -sum > kBeyondRounding * size &&
                check.radius >= kFarAway * std::max(1.0, largest(p.c) / data);
  return check;
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
