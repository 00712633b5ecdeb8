// Residuals of the kinds with bounds.
#include <perp/problems/standard/residuals.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <perp/problems/matrix/infinity.hpp>
#include <perp/problems/standard/friction_cone.hpp>
#include <perp/problems/standard/residual_parts.hpp>

namespace perp {

namespace {

Residuals infinite_residuals() {
  Residuals r;
  r.natural = r.fischer_burmeister = r.normal_map = r.complementarity = kInfinity;
  return r;
}

Extended mid_extended(Extended a, Extended b, Extended c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

Extended fischer_burmeister_extended(Extended a, Extended b) {
  const Extended norm = plane_norm(a, b);
  if (a > 0 && b > 0) {
    if (std::isinf(norm)) return std::min(a, b);
    return 2 * a / (a + b + norm) * b;
  }
  return a + b - norm;
}

// [Billups1995] for two-sided bounds, [Fischer1992] for one.
Extended bounded_fischer_burmeister(Extended z, Extended f, double lower, double upper) {
  const bool has_lower = lower > -kInfinity, has_upper = upper < kInfinity;
  if (lower == upper) return z - lower;
  if (!has_lower && !has_upper) return f;
  const Extended above = has_upper ? -fischer_burmeister_extended(upper - z, -f) : f;
  return has_lower ? fischer_burmeister_extended(z - lower, above) : above;
}

// mid(z - lower, z - upper, F). Infinite bounds are told apart, because x87 arithmetic with an
// infinity takes a hundred times as long as with a number.
Extended mid_of(Extended z, Extended f, double lower, double upper) {
  const bool has_lower = lower > -kInfinity, has_upper = upper < kInfinity;
  if (has_lower && has_upper) return mid_extended(z - lower, z - upper, f);
  if (has_lower) return std::min(z - lower, f);
  return has_upper ? std::max(z - upper, f) : f;
}

// Product of |F| and the distance to the bound that the sign of F points at; |F| if that is
// infinite.
Extended complementarity_product(Extended z, Extended f, double lower, double upper) {
  if (lower == upper) return 0;
  const double bound = f >= 0 ? lower : upper;
  return std::isinf(bound) ? std::abs(f) : std::abs(f) * std::abs(z - bound);
}

// F, and the sizes of what was summed for it (none for a nonlinear map).
void map_at(const Matrix& m, const Vector& q, const Vector& z, ResidualWork& work, AffineSum& f) {
  sum_of({AffineTerm::product(m, z), AffineTerm::vector(q)}, static_cast<int>(q.size()), work.sums,
         f);
}
void map_at(const Lcp& p, const Vector& z, ResidualWork& work, AffineSum& f) {
  map_at(p.M, p.q, z, work, f);
}
void map_at(const Mlcp& p, const Vector& z, ResidualWork& work, AffineSum& f) {
  map_at(p.M, p.q, z, work, f);
}
void map_at(const BoxQp& p, const Vector& z, ResidualWork& work, AffineSum& f) {
  map_at(p.H, p.c, z, work, f);
}
void map_at(const Mcp& p, const Vector& z, ResidualWork& work, AffineSum& f) {
  p.evaluate_extended(z, work.map, f.values);
  f.sizes.resize(0);
}

template <class P>
Vector rounded_map(const P& problem, const Vector& z) {
  ResidualWork work;
  map_at(problem, z, work, work.first);
  return work.first.values.cast<double>();
}

// What rounding alone can cause in a row. If the point is outside of its bounds, or if F is clearly
// of the sign that puts it on one, no rounding of F makes the row right: then it is that of z.
double floor_of_row(Extended z, Extended f, Extended size, double lower, double upper) {
  const double of_f = kEpsilon * static_cast<double>(size);
  const bool inside = lower <= z && z <= upper;
  if (mid_of(z, f, lower, upper) == f || (inside && std::abs(f) <= of_f)) return of_f;
  const double bound = std::abs(z - lower) <= std::abs(z - upper) ? lower : upper;
  return kEpsilon * std::max(static_cast<double>(std::abs(z)), std::abs(bound));
}

// Leaves F in work.first.
template <class P>
Residuals box_residuals(const P& problem, const Vector& z, const Vector& lower, const Vector& upper,
                        ResidualWork& work) {
  check_length("z", z, problem.size());
  if (!z.allFinite()) return infinite_residuals();
  AffineSum &f = work.first, &g = work.second;
  map_at(problem, z, work, f);
  LargestResidual natural;
  Vector& projected = work.projected;
  ExtendedVector& x = work.extended_x;
  projected.resize(z.size());
  x.resize(z.size());
  bool finite = true;
  for (int i = 0; i < z.size(); ++i) {
    const Extended f_i = f.values[i], z_i = z[i];
    finite &= static_cast<bool>(std::isfinite(f_i));
    natural.add(i, std::abs(mid_of(z_i, f_i, lower[i], upper[i])));
    x[i] = z_i - f_i;
    projected[i] = std::clamp(static_cast<double>(x[i]), lower[i], upper[i]);
  }
  if (!finite || !projected.allFinite()) {
    Residuals r = infinite_residuals();
    r.worst_index = natural.index;
    return r;
  }
  Residuals r;
  r.natural = r.worst_value = round_up(natural.value);
  r.worst_index = natural.index;
  if (r.natural <= work.complete_up_to) {
    const bool same_point = projected == z;  // mostly so at a solution
    if (!same_point) map_at(problem, projected, work, g);
    const ExtendedVector& there = same_point ? f.values : g.values;
    Extended fischer_burmeister = 0, complementarity = 0, normal_map = 0;
    for (int i = 0; i < z.size(); ++i) {
      const Extended f_i = f.values[i], z_i = z[i];
      raise(fischer_burmeister, std::abs(bounded_fischer_burmeister(z_i, f_i, lower[i], upper[i])));
      raise(complementarity, complementarity_product(z_i, f_i, lower[i], upper[i]));
      raise(normal_map, std::abs(there[i] + (x[i] - projected[i])));
    }
    r.fischer_burmeister = round_up(fischer_burmeister);
    r.complementarity = round_up(complementarity);
    r.normal_map = round_up(normal_map);
  }
  if (f.sizes.size() > 0) {
    const int i = r.worst_index;
    r.floor = i < 0 ? 0.0 : floor_of_row(z[i], f.values[i], f.sizes[i], lower[i], upper[i]);
  }
  return r;
}

// The largest F_i of the wrong sign at p = point_on_bounds(), over the rows that it puts on a
// bound. F(z) must be in work.first.
double wrong_sign_at_bounds(const Mcp& problem, const Vector& z, double tolerance,
                            ResidualWork& work, int& worst) {
  const ExtendedVector& f = work.first.values;
  const ExtendedVector& g = work.second.values;
  work.rounded = f.cast<double>();
  point_on_bounds(z, work.rounded, problem.lower, problem.upper, tolerance, work.projected);
  map_at(problem, work.projected, work, work.second);
  LargestResidual wrong;
  for (int i = 0; i < z.size(); ++i) {
    if (!std::isfinite(g[i])) {
      worst = i;
      return kInfinity;
    }
    const bool held = std::abs(f[i]) > tolerance && problem.lower[i] < problem.upper[i];
    if (held) wrong.add(i, std::max(0.0L, f[i] > 0 ? -g[i] : g[i]));
  }
  worst = wrong.index;
  return round_up(wrong.value);
}

}  // namespace

double mid(double a, double b, double c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

double fischer_burmeister(double a, double b) {
  const double norm = std::hypot(a, b);
  if (a > 0 && b > 0) {
    if (std::isinf(norm)) return std::min(a, b);
    return 2.0 * a / (a + b + norm) * b;
  }
  return a + b - norm;
}

Vector evaluate_map(const Lcp& p, const Vector& z) { return rounded_map(p, z); }
Vector evaluate_map(const Mlcp& p, const Vector& z) { return rounded_map(p, z); }
Vector evaluate_map(const Mcp& p, const Vector& z) { return rounded_map(p, z); }
Vector evaluate_map(const BoxQp& p, const Vector& z) { return rounded_map(p, z); }

void point_on_bounds(const Vector& z, const Vector& f, const Vector& lower, const Vector& upper,
                     double tolerance, Vector& p) {
  p = z.cwiseMax(lower).cwiseMin(upper);
  for (int i = 0; i < z.size(); ++i) {
    const double bound = f[i] > 0 ? lower[i] : upper[i];
    if (std::abs(f[i]) > tolerance && std::isfinite(bound)) p[i] = bound;
  }
}

Residuals evaluate_residuals(const Lcp& p, const Vector& z, ResidualWork* work) {
  std::optional<ResidualWork> own;
  ResidualWork& w = work ? *work : own.emplace();
  w.lower.setZero(p.size());
  w.upper.setConstant(p.size(), kInfinity);
  return box_residuals(p, z, w.lower, w.upper, w);
}

Residuals evaluate_residuals(const Mlcp& p, const Vector& z, ResidualWork* work) {
  std::optional<ResidualWork> own;
  return box_residuals(p, z, p.lower, p.upper, work ? *work : own.emplace());
}

Residuals evaluate_residuals(const BoxQp& p, const Vector& z, ResidualWork* work) {
  std::optional<ResidualWork> own;
  return box_residuals(p, z, p.lower, p.upper, work ? *work : own.emplace());
}

Residuals evaluate_residuals(const Mcp& p, const Vector& z, double tolerance, ResidualWork* work) {
  std::optional<ResidualWork> own;
  ResidualWork& w = work ? *work : own.emplace();
  Residuals r = box_residuals(p, z, p.lower, p.upper, w);
  r.at_bounds = kInfinity;
  if (!(r.natural < kInfinity)) return r;
  int worst = -1;
  r.at_bounds = wrong_sign_at_bounds(p, z, tolerance, w, worst);
  if (r.at_bounds > r.natural) {
    r.worst_index = worst;
    r.worst_value = r.at_bounds;
  }
  return r;
}

}  // namespace perp
