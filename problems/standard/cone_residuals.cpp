// Residuals of the kinds with cones.
#include <algorithm>
#include <cmath>
#include <optional>
#include <perp/problems/matrix/infinity.hpp>
#include <perp/problems/standard/friction_cone.hpp>
#include <perp/problems/standard/friction_measure.hpp>
#include <perp/problems/standard/residual_parts.hpp>
#include <perp/problems/standard/residuals.hpp>

namespace perp {

namespace {

using ConstSegment = Eigen::Ref<const ExtendedVector>;

Extended largest_entry(const ConstSegment& v) {
  Extended value = 0;
  for (const Extended entry : v) raise(value, std::abs(entry));
  return value;
}

Extended tail_norm(const ConstSegment& v) {
  return euclidean_norm(v.data() + 1, static_cast<int>(v.size()) - 1);
}

// Distance of v = (t, x) from the second-order cone, in the largest entry. Between the cone and its
// polar, v - Pi(v) = (t - ||x||) / 2 (1, -x / ||x||).
Extended distance_from_cone(const ConstSegment& v) {
  const Extended t = v[0], norm = tail_norm(v);
  if (norm <= t) return 0;
  return norm <= -t ? largest_entry(v) : (norm - t) / 2;
}

// ||s - Pi(s - y)|| in the largest entry. As in friction_natural_map, each part is written in s or
// y alone: with w = s - y, tau = w_x / ||w_x||, e = (1, tau), g = (1, -tau), between cone and polar
// it is (y'e / 2) e + (s'g / 2) g + the part of s_x (which is that of y_x) across tau.
Extended natural_map_of_cone(const ConstSegment& s, const ConstSegment& y, ResidualWork& work) {
  const auto n = s.size() - 1;
  auto tau = work.tau.head(n);
  tau = s.tail(n) - y.tail(n);
  const Extended w_0 = s[0] - y[0];
  const Extended w_norm = euclidean_norm(tau.data(), static_cast<int>(n));
  if (w_norm <= w_0) return largest_entry(y);
  if (w_norm <= -w_0) return largest_entry(s);
  tau /= w_norm;
  const Extended s_tau = dot_product(tau, s.tail(n)), y_tau = dot_product(tau, y.tail(n));
  const Extended along_e = (y[0] + y_tau) / 2, along_g = (s[0] - s_tau) / 2;
  const bool by_s = largest_entry(s.tail(n)) < largest_entry(y.tail(n));
  Extended f = 0;
  raise(f, std::abs(along_e + along_g));
  for (int i = 0; i < n; ++i) {
    const Extended across = by_s ? s[i + 1] - s_tau * tau[i] : y[i + 1] - y_tau * tau[i];
    raise(f, std::abs((along_e - along_g) * tau[i] + across));
  }
  return f;
}

Extended complementarity_of_cone(const ConstSegment& s, const ConstSegment& y, ResidualWork& work) {
  auto primal = work.primal.head(s.size()), dual = work.dual.head(s.size());
  primal = s;
  dual = y;
  project_on_cone<Extended>(1, static_cast<int>(s.size()), primal.data());
  project_on_cone<Extended>(1, static_cast<int>(y.size()), dual.data());
  return std::min(natural_map_of_cone(s, y, work), std::max(0.0L, dot_product(primal, dual)));
}

// The three residuals of a conic program, each with its worst row.
struct ConicParts {
  LargestResidual primal, stationarity, dual, complementarity;

  void add_linear_row(int i, bool zero, Extended s, Extended y) {
    primal.add(i, zero ? std::abs(s) : std::max(0.0L, -s));
    if (zero) return;
    dual.add(i, std::max(0.0L, -y));
    complementarity.add(i,
                        std::min(std::abs(std::min(s, y)), std::max(0.0L, s) * std::max(0.0L, y)));
  }
  void add_cone(int i, const ConstSegment& s, const ConstSegment& y, ResidualWork& work) {
    primal.add(i, distance_from_cone(s));
    dual.add(i, distance_from_cone(y));
    complementarity.add(i, complementarity_of_cone(s, y, work));
  }
};

// The norm of the part of y that is in the cone of a row.
double size_in_cone(const ConicQp& p, const Vector& y, int row) {
  int offset = 0;
  for (const Cone& cone : p.cones) {
    if (row < offset + cone.size)
      return cone.type == ConeType::kSecondOrder ? y.segment(offset, cone.size).norm()
                                                 : std::abs(y[row]);
    offset += cone.size;
  }
  return 0.0;
}

// |x'Px + c'x + b'y|; overwrites what is in the work space.
Extended gap_of(const ConicQp& p, const Vector& x, const Vector& y, ResidualWork& work) {
  work.extended_x = x.cast<Extended>();
  sum_of({AffineTerm::product(p.P, x)}, p.size(), work.sums, work.second);
  Extended gap = dot_product(work.extended_x, work.second.values);
  work.second.values = p.c.cast<Extended>();
  gap += dot_product(work.second.values, work.extended_x);
  work.first.values = p.b.cast<Extended>();
  work.extended_y = y.cast<Extended>();
  return std::abs(gap + dot_product(work.first.values, work.extended_y));
}

}  // namespace

Residuals evaluate_residuals(const ConicQp& p, const Vector& x, const Vector& y,
                             ResidualWork* work) {
  check_length("z", x, p.size());
  check_length("dual", y, p.b.size());
  Residuals r;
  if (!x.allFinite() || !y.allFinite()) {
    r.natural = r.primal = r.dual = r.complementarity = r.gap = kInfinity;
    return r;
  }
  std::optional<ResidualWork> own;
  ResidualWork& w = work ? *work : own.emplace();
  const int n = p.size(), m = static_cast<int>(p.b.size());
  AffineSum &s = w.first, &stationarity = w.second;
  sum_of({AffineTerm::vector(p.b), AffineTerm::product(p.A, x, -1)}, m, w.sums, s);
  sum_of({AffineTerm::product(p.P, x), AffineTerm::vector(p.c),
          AffineTerm::transposed_product(p.A, y)},
         n, w.sums, stationarity);
  ExtendedVector& dual = w.extended_y;
  dual = y.cast<Extended>();
  int largest_cone = 0;
  for (const Cone& cone : p.cones) largest_cone = std::max(largest_cone, cone.size);
  for (ExtendedVector* v : {&w.tau, &w.primal, &w.dual}) v->resize(largest_cone);
  ConicParts parts;
  for (int j = 0; j < n; ++j) parts.stationarity.add(j, std::abs(stationarity.values[j]));
  int offset = 0;
  for (const Cone& cone : p.cones) {
    if (cone.type == ConeType::kSecondOrder) {
      parts.add_cone(offset, s.values.segment(offset, cone.size), dual.segment(offset, cone.size),
                     w);
    } else {
      for (int i = offset; i < offset + cone.size; ++i)
        parts.add_linear_row(i, cone.type == ConeType::kZero, s.values[i], dual[i]);
    }
    offset += cone.size;
  }
  r.primal = round_up(parts.primal.value);
  r.dual = round_up(std::max(parts.stationarity.value, parts.dual.value));
  r.complementarity = round_up(parts.complementarity.value);
  r.natural = r.worst_value = std::max({r.primal, r.dual, r.complementarity});
  const LargestResidual* worst = &parts.stationarity;
  for (const LargestResidual* part : {&parts.primal, &parts.dual, &parts.complementarity}) {
    if (part->index < 0 || !(part->value > worst->value || worst->index < 0)) continue;
    worst = part;
    r.worst_is_constraint = true;
  }
  r.worst_index = worst->index;
  if (r.worst_index >= 0) {
    // y is given, not computed, so its distance from the dual cone has its own rounding alone.
    const Extended of_y = r.worst_is_constraint ? size_in_cone(p, y, r.worst_index) : 0.0L;
    const Extended of_sums = (r.worst_is_constraint ? s : stationarity).sizes[r.worst_index];
    const Extended size = worst == &parts.dual              ? of_y
                          : worst == &parts.complementarity ? std::max(of_y, of_sums)
                                                            : of_sums;
    r.floor = kEpsilon * static_cast<double>(size);
  }
  r.gap = round_up(gap_of(p, x, y, w));
  return r;
}

namespace {

// Adds the residuals of friction that the verifier does not judge by.
void add_primal_and_dual(const FrictionContact& p, const ExtendedVector& impulses,
                         const ExtendedVector& u, Residuals& result) {
  const int d = p.dimension;
  Extended primal = 0, dual = 0, complementarity = 0;
  for (int c = 0; c < p.contacts(); ++c) {
    const auto impulse = impulses.segment(d * c, d);
    Extended corrected[3] = {};
    Eigen::Map<ExtendedVector> velocity(corrected, d);
    velocity = u.segment(d * c, d);
    const Extended slip = tail_norm(velocity);
    raise(primal, tail_norm(impulse) - p.mu[c] * impulse[0]);
    raise(dual, -velocity[0]);      // mu ||u_t|| - u_hat_n
    velocity[0] += p.mu[c] * slip;  // de Saxce's correction
    raise(complementarity, std::abs(dot_product(impulse, velocity)));
  }
  result.primal = round_up(primal);
  result.dual = round_up(dual);
  result.complementarity = round_up(complementarity);
}

}  // namespace

Residuals evaluate_residuals(const FrictionContact& p, const Vector& r, ResidualWork* work) {
  check_length("r", r, p.size());
  Residuals result;
  result.natural = result.relative = result.by_part = kInfinity;
  result.primal = result.dual = result.complementarity = kInfinity;
  if (!r.allFinite()) return result;
  std::optional<ResidualWork> own;
  ResidualWork& w = work ? *work : own.emplace();
  AffineSum& u = w.first;
  p.extended_velocity(r, w.sums, u);
  if (!u.values.allFinite()) return result;
  ExtendedVector& impulses = w.extended_x;
  impulses = r.cast<Extended>();
  const int d = p.dimension;
  w.friction.prepare(p);
  const FrictionMeasure::Value value = w.friction.evaluate(impulses, u.values);
  result.natural = value.natural;
  result.relative = value.relative;
  result.by_part = value.by_part;
  if (std::min(result.natural, std::max(result.relative, result.by_part)) <= w.complete_up_to) {
    add_primal_and_dual(p, impulses, u.values, result);
  } else {
    result.primal = result.dual = result.complementarity = Residuals::kNone;
  }
  result.worst_index = d * value.worst_contact;
  if (value.worst_contact < 0) return result;
  result.worst_value = round_up(friction_error<Extended>(d, impulses.data() + result.worst_index,
                                                         u.values.data() + result.worst_index,
                                                         p.mu[value.worst_contact]));
  result.floor =
      kEpsilon * static_cast<double>(euclidean_norm(u.sizes.data() + result.worst_index, d));
  return result;
}

Residuals evaluate_residuals(const ConvexContact& p, const Vector& v, ResidualWork* work) {
  check_length("v", v, p.size());
  Residuals r;
  r.natural = kInfinity;
  if (!v.allFinite()) return r;
  std::optional<ResidualWork> own;
  ResidualWork& w = work ? *work : own.emplace();
  p.extended_impulses(v, w.sums, w.second, w.extended_x);
  AffineSum& gradient = w.first;
  sum_of({AffineTerm::product(p.A, v), AffineTerm::product(p.A, p.v_star, -1),
          AffineTerm::transposed_product(p.J, w.extended_x, -1)},
         p.size(), w.sums, gradient);
  LargestResidual worst;
  for (int i = 0; i < p.size(); ++i) worst.add(i, std::abs(gradient.values[i]));
  r.natural = r.worst_value = round_up(worst.value);
  r.worst_index = worst.index;
  if (r.worst_index >= 0) {
    // A rounding error of v changes the impulses by J times it over R.
    Extended size = gradient.sizes[r.worst_index];
    p.J.for_column(r.worst_index, [&](int i, double value) {
      size += std::abs(value) * w.second.sizes[i] / p.R[i];
    });
    r.floor = kEpsilon * static_cast<double>(size);
  }
  return r;
}

}  // namespace perp
