#include <perp/problems/standard/residuals.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace perp {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

void check_size(std::string_view field, const Vector& v, long n) {
  if (v.size() != n) {
    throw std::invalid_argument(fmt::format("{}: length is {}, expected {}", field, v.size(), n));
  }
}

Residuals infinite_residuals() {
  Residuals r;
  r.natural = r.fischer_burmeister = r.normal_map = r.complementarity = kInfinity;
  return r;
}

// max that keeps a NaN: a residual that cannot be computed must never look small.
void raise(double& largest, double value) {
  if (std::isnan(value) || value > largest) largest = std::isnan(value) ? kInfinity : value;
}

// [Billups1995] for two-sided bounds, [Fischer1992] for one.
double bounded_fischer_burmeister(double z, double f, double lower, double upper) {
  const bool has_lower = lower > -kInfinity, has_upper = upper < kInfinity;
  if (lower == upper) return z - lower;
  if (!has_lower && !has_upper) return f;
  const double above = has_upper ? -fischer_burmeister(upper - z, -f) : f;
  return has_lower ? fischer_burmeister(z - lower, above) : above;
}

// Product of F and the distance to the bound that its sign points at; |F| where that is infinite.
double complementarity_product(double z, double f, double lower, double upper) {
  if (lower == upper) return 0.0;
  const double distance = f >= 0 ? z - lower : upper - z;
  return std::abs(f) * (std::isinf(distance) ? 1.0 : std::abs(distance));
}

template <class P>
Residuals box_residuals(const P& problem, const Vector& z, const Vector& lower,
                        const Vector& upper) {
  check_size("z", z, problem.size());
  if (!z.allFinite()) return infinite_residuals();
  const Vector f = evaluate_map(problem, z);
  Residuals r;
  r.natural = r.fischer_burmeister = r.normal_map = r.complementarity = 0.0;
  Vector projected(z.size()), x(z.size());
  for (int i = 0; i < z.size(); ++i) {
    const double natural = std::abs(mid(z[i] - lower[i], z[i] - upper[i], f[i]));
    if (!(natural <= r.natural) || r.worst_index < 0) r.worst_index = i;
    raise(r.natural, natural);
    raise(r.fischer_burmeister,
          std::abs(bounded_fischer_burmeister(z[i], f[i], lower[i], upper[i])));
    raise(r.complementarity, complementarity_product(z[i], f[i], lower[i], upper[i]));
    x[i] = z[i] - f[i];
    projected[i] = std::clamp(x[i], lower[i], upper[i]);
  }
  if (!projected.allFinite()) return infinite_residuals();
  const Vector g = evaluate_map(problem, projected);
  for (int i = 0; i < z.size(); ++i) raise(r.normal_map, std::abs(g[i] + (x[i] - projected[i])));
  return r;
}

double row_floor(const Matrix& m, const Vector& q, const Vector& z, int row) {
  if (row < 0) return 0.0;
  return kEpsilon * (m.multiply_abs(z)[row] + std::abs(q[row]));
}

// Projection of v on one cone (or on its dual: the zero cone's is free), in place.
void project(Eigen::Ref<Vector> v, ConeType type, bool dual) {
  if (type == ConeType::kZero) {
    if (!dual) v.setZero();
  } else if (type == ConeType::kNonnegative) {
    v = v.cwiseMax(0.0);
  } else {  // self-dual
    const double t = v[0], norm = v.tail(v.size() - 1).norm();
    if (norm <= t) return;
    if (norm <= -t) {
      v.setZero();
    } else {
      v.tail(v.size() - 1) *= 0.5 * (t + norm) / norm;
      v[0] = 0.5 * (t + norm);
    }
  }
}

Vector project(Vector v, const std::vector<Cone>& cones, bool dual) {
  int offset = 0;
  for (const Cone& cone : cones) {
    project(v.segment(offset, cone.size), cone.type, dual);
    offset += cone.size;
  }
  return v;
}

// Euclidean projection on { (n, t): ||t|| <= mu n }.
void project_friction(Eigen::Ref<Vector> r, double mu) {
  const double n = r[0], t = r.tail(r.size() - 1).norm();
  if (t <= mu * n) return;
  if (mu * t <= -n) {
    r.setZero();
    return;
  }
  const double normal = (n + mu * t) / (1.0 + mu * mu);
  r.tail(r.size() - 1) *= mu * normal / t;
  r[0] = normal;
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

Vector evaluate_map(const Lcp& p, const Vector& z) { return p.M.multiply(z) + p.q; }
Vector evaluate_map(const Mlcp& p, const Vector& z) { return p.M.multiply(z) + p.q; }
Vector evaluate_map(const Mcp& p, const Vector& z) { return p.evaluate(z); }
Vector evaluate_map(const BoxQp& p, const Vector& z) { return p.H.multiply(z) + p.c; }

Residuals evaluate_residuals(const Lcp& p, const Vector& z) {
  Residuals r = box_residuals(p, z, Vector::Zero(p.size()), Vector::Constant(p.size(), kInfinity));
  if (std::isfinite(r.natural)) r.floor = row_floor(p.M, p.q, z, r.worst_index);
  return r;
}

Residuals evaluate_residuals(const Mlcp& p, const Vector& z) {
  Residuals r = box_residuals(p, z, p.lower, p.upper);
  if (std::isfinite(r.natural)) r.floor = row_floor(p.M, p.q, z, r.worst_index);
  return r;
}

Residuals evaluate_residuals(const Mcp& p, const Vector& z) {
  return box_residuals(p, z, p.lower, p.upper);
}

Residuals evaluate_residuals(const BoxQp& p, const Vector& z) {
  Residuals r = box_residuals(p, z, p.lower, p.upper);
  if (std::isfinite(r.natural)) r.floor = row_floor(p.H, p.c, z, r.worst_index);
  return r;
}

Residuals evaluate_residuals(const ConicQp& p, const Vector& x, const Vector& y) {
  check_size("x", x, p.size());
  check_size("dual", y, p.b.size());
  Residuals r;
  if (!x.allFinite() || !y.allFinite()) {
    r.natural = r.primal = r.dual = r.gap = kInfinity;
    return r;
  }
  const Vector px = p.P.multiply(x), s = p.b - p.A.multiply(x);
  const Vector primal = s - project(s, p.cones, false);
  const Vector stationarity = px + p.c + p.A.multiply_transposed(y);
  const Vector dual = y - project(y, p.cones, true);
  r.primal = r.dual = r.complementarity = 0.0;
  for (int i = 0; i < primal.size(); ++i) {
    if (!(std::abs(primal[i]) <= r.primal) || r.worst_index < 0) r.worst_index = i;
    raise(r.primal, std::abs(primal[i]));
    raise(r.dual, std::abs(dual[i]));
  }
  for (double value : stationarity) raise(r.dual, std::abs(value));
  int offset = 0;
  for (const Cone& cone : p.cones) {
    const double product = s.segment(offset, cone.size).dot(y.segment(offset, cone.size));
    raise(r.complementarity, std::abs(product));
    offset += cone.size;
  }
  r.gap = std::abs(x.dot(px) + p.c.dot(x) + p.b.dot(y));
  r.natural = 0.0;
  for (double value : {r.primal, r.dual, r.gap}) raise(r.natural, value);
  r.floor = kEpsilon * (std::abs(x.dot(px)) + std::abs(p.c.dot(x)) + std::abs(p.b.dot(y)));
  return r;
}

Residuals evaluate_residuals(const FrictionContact& p, const Vector& r) {
  check_size("r", r, p.size());
  Residuals result;
  if (!r.allFinite()) {
    result.natural = result.relative = result.primal = result.dual = kInfinity;
    return result;
  }
  Vector u = p.relative_velocity(r);
  Vector natural(r.size());
  result.primal = result.dual = result.complementarity = 0.0;
  double worst = -1.0;
  const int d = p.dimension;
  for (int c = 0; c < p.contacts(); ++c) {
    auto velocity = u.segment(d * c, d);
    const auto impulse = r.segment(d * c, d);
    velocity[0] += p.mu[c] * velocity.tail(d - 1).norm();  // de Saxce's correction
    Vector projected = impulse - velocity;
    project_friction(projected, p.mu[c]);
    natural.segment(d * c, d) = impulse - projected;
    const double here = natural.segment(d * c, d).norm();
    if (!(here <= worst)) {
      worst = here;
      result.worst_index = d * c;
    }
    raise(result.primal, impulse.tail(d - 1).norm() - p.mu[c] * impulse[0]);
    raise(result.dual, p.mu[c] * velocity.tail(d - 1).norm() - velocity[0]);
    raise(result.complementarity, std::abs(impulse.dot(velocity)));
  }
  const double norm = natural.norm(), q = p.q.norm();
  result.natural = std::isnan(norm) ? kInfinity : norm;
  result.relative = q > 0 ? result.natural / q : kInfinity;
  return result;
}

Residuals evaluate_residuals(const ConvexContact& p, const Vector& v) {
  check_size("v", v, p.size());
  Residuals r;
  r.natural = kInfinity;
  if (!v.allFinite()) return r;
  const Vector gradient = p.A.multiply(v - p.v_star) - p.J.multiply_transposed(p.impulses(v));
  r.natural = 0.0;
  for (int i = 0; i < gradient.size(); ++i) {
    if (!(std::abs(gradient[i]) <= r.natural) || r.worst_index < 0) r.worst_index = i;
    raise(r.natural, std::abs(gradient[i]));
  }
  return r;
}

}  // namespace perp
