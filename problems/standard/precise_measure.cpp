#include <perp/problems/standard/precise_measure.hpp>

#include <algorithm>
#include <cmath>
#include <perp/problems/standard/mass_inverse.hpp>
#include <perp/problems/standard/precise_parts.hpp>
#include <utility>
#include <vector>

namespace perp {

namespace {

using Numbers = std::vector<Number>;

// The largest number that was added since this was set to 0, in a product or in the norm of a cone.
// After cancellation, sums are wrong by about 2^-bits of it.
Extended& largest_term() {
  thread_local Extended value = 0;
  return value;
}

const Number& noted(const Number& x) {
  largest_term() = std::max(largest_term(), std::abs(x.nearest()));
  return x;
}

// Takes more bits until two measures agree, and until sums have many more bits than they can lose.
template <class Measure>
double settled(double tolerance, const Measure& measure) {
  constexpr int kSpare = 128;  // bits: for the growth of errors in projections and divisions
  const mpfr_prec_t before = Number::precision();
  double result = kInfinity;
  Number last;
  bool has_last = false;
  for (mpfr_prec_t bits = kFewestBits; bits <= kMostBits; bits *= 2) {
    Number::precision() = bits;
    largest_term() = 0;
    const Number now = measure();
    const Extended lost = std::ldexp(largest_term(), kSpare - static_cast<int>(bits));
    // A measure that is exactly 0 is nothing but dust if it has divisions: then the tolerance is
    // what the digits are compared with.
    const bool agrees = now.finite()
                            ? abs(now - last) <= max(abs(now), Number(tolerance)) * Number(0x1p-80)
                            : has_last && !last.finite();
    // A measure next to the tolerance may be above it by the digits that are lost. With 4096 bits
    // any sum of products of doubles is exact.
    const Extended apart = std::abs((now - Number(tolerance)).nearest());
    const bool clear = !(apart <= std::ldexp(lost, -kSpare / 2)) || bits == kMostBits;
    const bool exact = lost <= tolerance || bits == kMostBits;
    if (has_last && agrees && exact && clear) {
      result = now.finite() ? now.upward() : kInfinity;
      break;
    }
    last = now;
    has_last = true;
  }
  Number::precision() = before;
  return result;
}

// sum += a b
void add(Number& sum, const Number& a, const Number& b) { sum += noted(a * b); }

bool is_sure(double measure, double tolerance, Extended error) {
  return std::isfinite(measure) && std::isfinite(error) &&
         std::abs(static_cast<Extended>(measure) - tolerance) > error;
}

Numbers numbers(const Vector& v) {
  Numbers r;
  r.reserve(static_cast<std::size_t>(v.size()));
  for (const double x : v) r.push_back(noted(x));
  return r;
}

// sum += sign A x, or A'x.
template <class X>
void add_product(const Matrix& a, const X& x, Numbers& sum, bool transposed = false,
                 double sign = 1.0) {
  for (int col = 0; col < a.cols(); ++col) {
    a.for_column(col, [&](int row, double value) {
      add(sum[static_cast<std::size_t>(transposed ? col : row)], sign * value,
          x[static_cast<std::size_t>(transposed ? row : col)]);
    });
  }
}

Number norm(const Number* v, int count) {
  Number squares;
  for (int k = 0; k < count; ++k) squares += v[k] * v[k];
  return sqrt(squares);
}

Number largest(const Number* v, int count) {
  Number value;
  for (int k = 0; k < count; ++k) value = max(value, abs(v[k]));
  return value;
}

// The nearest point of {(t, x): |x| <= mu t} in the norm of diag(R_n, R_t, ...), mu_hat = mu R_t /
// R_n.
void project(const Number& mu, const Number& mu_hat, int size, Number* v) {
  const Number length = norm(v + 1, size - 1), zero;
  noted(v[0]);
  noted(max(Number(1.0), mu_hat) * length);
  if (v[0] >= zero && length <= mu * v[0]) return;
  if (mu_hat * length <= -v[0]) {
    std::fill(v, v + size, zero);
    return;
  }
  const Number normal = (v[0] + mu_hat * length) / (Number(1.0) + mu * mu_hat);
  const Number share = mu * normal / length;
  v[0] = normal;
  for (int k = 1; k < size; ++k) v[k] = share * v[k];
}

// ---- cones

Number cone_measure(const ConicQp& p, const Vector& x, const Vector& y) {
  Numbers s = numbers(p.b), gradient = numbers(p.c);
  add_product(p.A, x, s, false, -1.0);
  add_product(p.P, x, gradient);
  add_product(p.A, y, gradient, true);
  Number worst = largest(gradient.data(), p.size());
  const Number one(1.0), zero;
  int at = 0;
  for (const Cone& cone : p.cones) {
    const int size = cone.size;
    Numbers u(s.begin() + at, s.begin() + at + size), v, w;
    for (int k = 0; k < size; ++k) v.push_back(noted(y[at + k]));
    at += size;
    if (cone.type == ConeType::kZero) {
      worst = max(worst, largest(u.data(), size));
      continue;
    }
    const int cone_size = cone.type == ConeType::kSecondOrder ? size : 1;
    for (int k = 0; k < size; k += cone_size) {  // a linear row is a cone of size 1
      Number *uk = &u[static_cast<std::size_t>(k)], *vk = &v[static_cast<std::size_t>(k)];
      Numbers pu(uk, uk + cone_size), pv(vk, vk + cone_size);
      w.clear();
      for (int i = 0; i < cone_size; ++i) w.push_back(uk[i] - vk[i]);
      project(one, one, cone_size, pu.data());
      project(one, one, cone_size, pv.data());
      project(one, one, cone_size, w.data());
      Number product, off_u, off_v, map;
      for (int i = 0; i < cone_size; ++i) {
        const auto j = static_cast<std::size_t>(i);
        product += pu[j] * pv[j];
        off_u = max(off_u, abs(uk[i] - pu[j]));
        off_v = max(off_v, abs(vk[i] - pv[j]));
        map = max(map, abs(uk[i] - w[j]));
      }
      worst = max(worst, max(max(off_u, off_v), min(map, max(zero, product))));
    }
  }
  return worst;
}

// Adds J M^-1 J'r to u by refinement. @return false if it does not converge
bool add_operator(const FrictionContact& p, const MassInverse& mass, const Vector& r, Numbers& u) {
  const auto m = static_cast<std::size_t>(p.J.cols());
  Numbers momentum(m), velocity(m);
  add_product(p.J, r, momentum, true);
  const Number size = largest(momentum.data(), static_cast<int>(m));
  for (int k = 0; k < 400; ++k) {
    Numbers left = momentum;
    add_product(p.M, velocity, left, false, -1.0);
    const Number error = largest(left.data(), static_cast<int>(m));
    if (error <= size * pow(Number(2.0), Number(-0.8 * static_cast<double>(Number::precision())))) {
      add_product(p.J, velocity, u);
      return true;
    }
    // Scaled to order 1, so that the numbers stay in the range of extended precision.
    ExtendedVector b(static_cast<Eigen::Index>(m));
    for (std::size_t i = 0; i < m; ++i)
      b[static_cast<Eigen::Index>(i)] = (left[i] / error).nearest();
    const ExtendedVector correction = mass.solve(b);
    if (!correction.allFinite()) return false;
    for (std::size_t i = 0; i < m; ++i)
      velocity[i] += error * Number::extended(correction[static_cast<Eigen::Index>(i)]);
  }
  return false;
}

Number friction_measure(const FrictionContact& p, const FrictionMeasure& parts,
                        const MassInverse* mass, const Vector& r) {
  Numbers u = numbers(p.q);
  if (mass) {
    if (!add_operator(p, *mass, r, u)) return kInfinity;
  } else {
    add_product(p.W, r, u);
  }
  for (int i = 0; i < p.compliance.size(); ++i)
    u[static_cast<std::size_t>(i)] += Number(p.compliance[i]) * Number(r[i]);
  const int d = p.dimension;
  Numbers errors(static_cast<std::size_t>(parts.parts())), sizes(errors.size());
  Number error, size;
  for (int c = 0; c < p.contacts(); ++c) {
    const auto part = static_cast<std::size_t>(parts.part_of(c));
    Number* velocity = &u[static_cast<std::size_t>(d * c)];
    const Number normal = min(noted(r[d * c]), velocity[0]);
    velocity[0] += Number(p.mu[c]) * norm(velocity + 1, d - 1);
    Numbers w;
    for (int k = 0; k < d; ++k) w.push_back(noted(r[d * c + k]) - velocity[k]);
    project(p.mu[c], p.mu[c], d, w.data());
    Number map;
    for (int k = 0; k < d; ++k) {
      const Number f = Number(r[d * c + k]) - w[static_cast<std::size_t>(k)], q(p.q[d * c + k]);
      map += f * f;
      size += q * q;
      sizes[part] += q * q;
    }
    error += map;
    errors[part] += max(map, normal * normal);  // friction_error()
  }
  error = sqrt(error);
  size = sqrt(size);
  const bool absolute = size <= 1e-14;
  Number worst = absolute ? error : error / size;
  for (std::size_t k = 0; k < errors.size(); ++k) {
    const Number part = sqrt(errors[k]);
    worst = max(worst, absolute ? part : part / max(sqrt(sizes[k]), min(Number(1.0), size)));
  }
  return worst;
}

Number compliant_measure(const ConvexContact& p, const Vector& v) {
  Numbers minus_ry = numbers(-p.bias);
  add_product(p.J, v, minus_ry);
  Numbers gamma(minus_ry.size());
  for (std::size_t i = 0; i < gamma.size(); ++i)
    gamma[i] = -minus_ry[i] / Number(p.R[static_cast<Eigen::Index>(i)]);
  for (int c = 0; c < p.contacts(); ++c) {
    const Number mu(p.mu[c]), mu_hat = mu * Number(p.R[3 * c + 1]) / Number(p.R[3 * c]);
    project(mu, mu_hat, 3, &gamma[static_cast<std::size_t>(3 * c)]);
  }
  Numbers gradient(static_cast<std::size_t>(p.size()));
  add_product(p.A, v, gradient);
  add_product(p.A, p.v_star, gradient, false, -1.0);
  for (int col = 0; col < p.J.cols(); ++col) {
    p.J.for_column(col, [&](int row, double value) {
      add(gradient[static_cast<std::size_t>(col)], -value, gamma[static_cast<std::size_t>(row)]);
    });
  }
  return largest(gradient.data(), p.size());
}

Extended segment_norm(const ExtendedVector& v, int first, int count) {
  return euclidean_norm(v.data() + first, count);
}

// How far J M^-1 J'r in extended precision may be from the exact vector: the rounding of J'r is
// amplified by M^-1.
ExtendedVector error_of_velocity(const FrictionContact& p, const MassInverse& mass,
                                 const Vector& r) {
  const AffineSum momentum = sum_of({AffineTerm::transposed_product(p.J, r)}, p.J.cols());
  const ExtendedVector velocity = mass.solve(momentum.values);
  ExtendedVector error = mass.error_of(velocity, 4 * kExtendedUnit * momentum.sizes);
  ExtendedVector carried = ExtendedVector::Zero(p.J.rows());
  for (int col = 0; col < p.J.cols(); ++col) {
    const Extended each = error[col] + 4 * kExtendedUnit * std::abs(velocity[col]);
    p.J.for_column(col, [&](int row, double value) { carried[row] += std::abs(value) * each; });
  }
  return carried;
}

std::optional<double> linear_measure(const Matrix& m, const Vector& q, const Vector& lower,
                                     const Vector& upper, const Vector& z, double tolerance,
                                     double measure) {
  if (!z.allFinite() || is_sure(measure, tolerance, 4 * kExtendedUnit * tolerance)) return {};
  return settled(tolerance, [&] {
    Numbers f = numbers(q);
    add_product(m, z, f);
    Number natural;
    for (int i = 0; i < z.size(); ++i)
      natural = max(natural, abs(middle(z[i], lower[i], upper[i], f[static_cast<std::size_t>(i)])));
    return natural;
  });
}

}  // namespace

std::optional<double> precise_measure(const Lcp& p, const Answer& a, double tolerance,
                                      double measure, ResidualWork& work) {
  return linear_measure(p.M, p.q, work.lower, work.upper, a.z, tolerance, measure);
}

std::optional<double> precise_measure(const Mlcp& p, const Answer& a, double tolerance,
                                      double measure, ResidualWork&) {
  return linear_measure(p.M, p.q, p.lower, p.upper, a.z, tolerance, measure);
}

std::optional<double> precise_measure(const BoxQp& p, const Answer& a, double tolerance,
                                      double measure, ResidualWork&) {
  return linear_measure(p.H, p.c, p.lower, p.upper, a.z, tolerance, measure);
}

std::optional<double> precise_measure(const ConicQp& p, const Answer& a, double tolerance,
                                      double measure, ResidualWork& work) {
  if (!a.z.allFinite() || !a.dual.allFinite()) return {};
  const bool curved = std::any_of(p.cones.begin(), p.cones.end(), [](const Cone& cone) {
    return cone.type == ConeType::kSecondOrder && cone.size > 1;
  });
  Extended primal = 0, dual = 0;
  int at = 0, most = 0;
  if (curved) {
    sum_of({AffineTerm::vector(p.b), AffineTerm::product(p.A, a.z, -1)},
           static_cast<int>(p.b.size()), work.sums, work.first);
  }
  for (const Cone& cone : p.cones) {
    if (cone.type == ConeType::kSecondOrder && cone.size > 1) {
      primal = std::max(primal, segment_norm(work.first.values, at, cone.size));
      dual = std::max(dual, static_cast<Extended>(a.dual.segment(at, cone.size).norm()));
      most = std::max(most, cone.size);
    }
    at += cone.size;
  }
  const Extended error =
      64 * kExtendedUnit * most * (primal + dual + primal * dual) + 4 * kExtendedUnit * tolerance;
  if (is_sure(measure, tolerance, error)) return {};
  return settled(tolerance, [&] { return cone_measure(p, a.z, a.dual); });
}

std::optional<double> precise_measure(const FrictionContact& p, const Answer& a, double tolerance,
                                      double measure, ResidualWork& work) {
  const AffineSum& u = work.first;
  if (!a.z.allFinite() || !u.values.allFinite()) return {};
  const int d = p.dimension;
  std::optional<MassInverse> mass;
  if (p.is_operator()) mass.emplace(p.M);
  const ExtendedVector carried = mass ? error_of_velocity(p, *mass, a.z) : ExtendedVector();
  Extended squares = 0, scale = 0;
  for (int c = 0; c < p.contacts(); ++c) {
    Extended size =
        segment_norm(work.extended_x, d * c, d) + (1 + p.mu[c]) * segment_norm(u.values, d * c, d);
    if (carried.size() > 0)
      size += (1 + p.mu[c]) * segment_norm(carried, d * c, d) / (8 * kExtendedUnit);
    squares += size * size;
  }
  for (const Extended q : p.q) scale += q * q;
  scale = std::sqrt(scale);
  const Extended error =
      4 * kExtendedUnit * tolerance +
      64 * kExtendedUnit * std::sqrt(squares) / (scale > 1e-14L ? std::min(scale, 1.0L) : 1.0L);
  if (is_sure(measure, tolerance, error)) return {};
  const FrictionMeasure parts(p);
  return settled(tolerance,
                 [&] { return friction_measure(p, parts, mass ? &*mass : nullptr, a.z); });
}

std::optional<double> precise_measure(const ConvexContact& p, const Answer& a, double tolerance,
                                      double measure, ResidualWork& work) {
  if (!a.z.allFinite()) return {};
  const AffineSum &gradient = work.first, &minus_ry = work.second;
  Extended size = 0;
  for (int col = 0; col < p.size(); ++col) {
    Extended row = gradient.sizes[col];
    p.J.for_column(col, [&](int i, double value) {
      // How much rounding can change the impulse, over the unit of rounding.
      const int c = i / 3;
      Extended y = 0;
      for (int k = 3 * c; k < 3 * c + 3; ++k) y += std::abs(minus_ry.values[k]) / p.R[k];
      const Extended mu = p.mu[c], ratio = std::max(1.0, p.R[3 * c + 1] / p.R[3 * c]);
      row += std::abs(value) * y * (1 + mu) * (1 + mu) * ratio;
    });
    size = std::max(size, row);
  }
  if (is_sure(measure, tolerance, 64 * kExtendedUnit * (size + tolerance))) return {};
  return settled(tolerance, [&] { return compliant_measure(p, a.z); });
}

}  // namespace perp
