#include <perp/problems/standard/precise_measure.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <perp/problems/expression/number.hpp>
#include <perp/problems/matrix/infinity.hpp>
#include <perp/problems/standard/mass_inverse.hpp>
#include <utility>
#include <vector>

namespace perp {

namespace {

using Numbers = std::vector<Number>;

constexpr Extended kUnit = std::numeric_limits<Extended>::epsilon();
constexpr mpfr_prec_t kFewestBits = 256, kMostBits = 4096;

// The largest number that was added since this was set to 0. After cancellation, sums are wrong by
// about 2^-bits of it.
Extended& largest_term() {
  thread_local Extended value = 0;
  return value;
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
    const bool agrees =
        now.finite() ? abs(now - last) <= abs(now) * Number(0x1p-80) : has_last && !last.finite();
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
void add(Number& sum, const Number& a, const Number& b) {
  const Number product = a * b;
  largest_term() = std::max(largest_term(), std::abs(product.nearest()));
  sum += product;
}

bool is_sure(double measure, double tolerance, Extended error) {
  return std::isfinite(measure) && std::isfinite(error) &&
         std::abs(static_cast<Extended>(measure) - tolerance) > error;
}

Numbers numbers(const Vector& v) {
  Numbers r;
  r.reserve(static_cast<std::size_t>(v.size()));
  for (const double x : v) r.emplace_back(x);
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

// ---- graphs

// A value with a bound on its error, to first order and on the safe side.
template <class T>
struct Bounded {
  T value = T(0.0);
  Extended error = 0;
};

Extended nearest(Extended x) { return x; }
Extended nearest(const Number& x) { return x.nearest(); }
bool finite(Extended x) { return std::isfinite(x); }
bool finite(const Number& x) { return x.finite(); }
// Relative error of an operation, functions of the library included.
Extended unit_of(Extended) { return 4 * kUnit; }
Extended unit_of(const Number&) { return std::ldexp(4.0L, -static_cast<int>(Number::precision())); }

// The error that comes from the errors of the operands, to first order and on the safe side. The
// rounding of the operation is not included.
template <class T>
Extended carried_error(Operation operation, const std::vector<Bounded<T>>& x, Extended v) {
  using enum Operation;
  const Extended a = nearest(x[0].value), ea = x[0].error;
  const Extended b = x.size() > 1 ? nearest(x[1].value) : 0, eb = x.size() > 1 ? x[1].error : 0;
  const Extended infinity = HUGE_VALL;
  switch (operation) {
    case kSqrt:
      return ea == 0 ? 0 : ea < a / 2 ? ea / v : std::sqrt(std::abs(a) + ea);
    case kExp:
      return ea == 0 ? 0 : v * std::expm1(ea);
    case kLog:
      return ea == 0 ? 0 : ea < std::abs(a) / 2 ? 2 * ea / std::abs(a) : infinity;
    case kTan:
      return ea * (1 + v * v) * 2;
    case kAdd:
    case kSubtract:
      return ea + eb;
    case kMultiply:
      return std::abs(a) * eb + std::abs(b) * ea + ea * eb;
    case kDivide:
      return ea + std::abs(v) * eb == 0 ? 0
             : eb < std::abs(b) / 2     ? 2 * (ea + std::abs(v) * eb) / std::abs(b)
                                        : infinity;
    case kPow:
      if (ea == 0 && eb == 0) return 0;
      if (ea >= std::abs(a) / 2) return infinity;
      return 2 * std::abs(v) *
             (std::abs(b) * ea / std::abs(a) + (eb > 0 ? std::abs(std::log(a)) * eb : 0));
    case kMin:
    case kMax:
      return std::max(ea, eb);
    case kNorm: {
      Extended sum = 0;
      for (const Bounded<T>& k : x) sum += k.error;
      return sum;
    }
    default:  // slopes of at most 1
      return ea;
  }
}

template <class T>
T value_of(Operation operation, const std::vector<T>& x) {
  using enum Operation;
  using std::abs, std::atan, std::cos, std::exp, std::log, std::max, std::min, std::pow, std::sin,
      std::sqrt, std::tan, std::tanh;
  switch (operation) {
    case kNegate:
      return -x[0];
    case kSqrt:
      return sqrt(x[0]);
    case kExp:
      return exp(x[0]);
    case kLog:
      return log(x[0]);
    case kSin:
      return sin(x[0]);
    case kCos:
      return cos(x[0]);
    case kTan:
      return tan(x[0]);
    case kAtan:
      return atan(x[0]);
    case kTanh:
      return tanh(x[0]);
    case kAbs:
      return abs(x[0]);
    case kAdd:
      return x[0] + x[1];
    case kSubtract:
      return x[0] - x[1];
    case kMultiply:
      return x[0] * x[1];
    case kDivide:
      return x[0] / x[1];
    case kPow:
      return pow(x[0], x[1]);
    case kMin:
      return x[0] == x[0] && x[1] == x[1] ? min(x[0], x[1]) : x[0] + x[1];
    case kMax:
      return x[0] == x[0] && x[1] == x[1] ? max(x[0], x[1]) : x[0] + x[1];
    case kNorm: {
      T squares = 0.0;
      for (const T& v : x) squares += v * v;
      return sqrt(squares);
    }
    default:  // made by differentiation only
      return T(std::numeric_limits<double>::quiet_NaN());
  }
}

// Work space for evaluating a graph.
template <class T>
struct GraphWork {
  std::vector<Bounded<T>> nodes, operands, f, g;
  std::vector<T> values;
  Vector on_bounds;
  std::vector<char> held;
};

template <class T>
void evaluate(const Mcp& p, const Vector& z, GraphWork<T>& work, std::vector<Bounded<T>>& outputs) {
  const ExpressionGraph& graph = *p.graph;
  work.nodes.clear();
  for (const ExpressionGraph::Node& node : graph.nodes) {
    if (node.operation == Operation::kConstant) {
      work.nodes.push_back({node.value});
    } else if (node.operation == Operation::kVariable) {
      work.nodes.push_back({z[node.first]});
    } else if (node.operation == Operation::kParameter) {
      work.nodes.push_back({p.parameters[node.first]});
    } else {
      work.operands.clear();
      work.values.clear();
      for (const int k : graph.operands_of(node)) {
        work.operands.push_back(work.nodes[static_cast<std::size_t>(k)]);
        work.values.push_back(work.operands.back().value);
      }
      T v = value_of<T>(node.operation, work.values);
      const Extended size = nearest(v);
      const Extended error =
          2 * carried_error(node.operation, work.operands, size) + unit_of(v) * std::abs(size);
      work.nodes.push_back({std::move(v), error});
    }
  }
  outputs.clear();
  for (const int k : graph.outputs) outputs.push_back(work.nodes[static_cast<std::size_t>(k)]);
}

// mid(z - l, z - u, f)
template <class T>
T middle(double z, double lower, double upper, T f) {
  using std::max, std::min;
  if (lower > -kInfinity) f = min(f, T(T(z) - T(lower)));
  if (upper < kInfinity) f = max(f, T(T(z) - T(upper)));
  return f;
}

// A measure, and whether rounding cannot change any decision that the verdict depends on.
template <class T>
struct Judged {
  T measure = T(0.0);
  bool sure = true;
  Extended error = 0;  ///< of the measure
};

template <class T>
Judged<T> judged(const Mcp& p, const Vector& z, double tolerance, GraphWork<T>& work) {
  using std::max;
  const auto size = static_cast<std::size_t>(z.size());
  Judged<T> result;
  const auto not_finite = [&](const Bounded<T>& x) {
    if (finite(x.value) && std::isfinite(x.error)) return false;
    result.sure = false;
    result.measure = T(kInfinity);
    return true;
  };
  const auto raise = [&](const T& value, Extended error) {
    result.measure = max(result.measure, value);
    result.error = max(result.error, error);
  };
  // Whether two numbers differ by more than an error and the rounding of both.
  const auto apart = [](const T& a, double b, Extended error) {
    const Extended difference = std::abs(nearest(T(a - T(b))));
    return difference > error + unit_of(a) * std::abs(static_cast<Extended>(b));
  };
  auto& [nodes, operands, f, g, values, on_bounds, held] = work;
  evaluate(p, z, work, f);
  for (std::size_t i = 0; i < size; ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    if (not_finite(f[i])) return result;
    // mid does not increase an error, and removes it if a bound is the middle number.
    const auto at = [&, &f = f](Extended shift) {
      return middle(z[k], p.lower[k], p.upper[k], T(f[i].value + T(static_cast<double>(shift))));
    };
    const T value = at(0);
    const T change = max(T(at(2 * f[i].error) - value), T(value - at(-2 * f[i].error)));
    raise(value < T(0.0) ? T(-value) : value, nearest(change));
  }
  result.sure = apart(result.measure, tolerance, result.error);
  if (!result.sure || result.measure > T(tolerance)) return result;
  on_bounds = z.cwiseMax(p.lower).cwiseMin(p.upper);
  held.assign(size, 0);
  for (std::size_t i = 0; i < size; ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    const bool positive = f[i].value > T(0.0);
    const T absolute = positive ? f[i].value : T(-f[i].value);
    result.sure = result.sure && apart(absolute, tolerance, f[i].error);
    if (!(absolute > T(tolerance))) continue;
    const double bound = positive ? p.lower[k] : p.upper[k];
    if (std::isfinite(bound)) on_bounds[k] = bound;
    held[i] = p.lower[k] < p.upper[k] ? (positive ? 1 : 2) : 0;
  }
  evaluate(p, on_bounds, work, g);
  for (std::size_t i = 0; i < size; ++i) {
    if (not_finite(g[i])) return result;
    if (held[i] != 0) raise(held[i] == 1 ? T(-g[i].value) : g[i].value, g[i].error);
  }
  result.sure = result.sure && apart(result.measure, tolerance, result.error);
  return result;
}

// Takes more bits until the measure is sure. A measure that equals the tolerance never is; for it a
// small error is enough.
double settled(const Mcp& p, const Vector& z, double tolerance) {
  const mpfr_prec_t before = Number::precision();
  double measure = kInfinity;
  for (mpfr_prec_t bits = kFewestBits; bits <= kMostBits; bits *= 2) {
    Number::precision() = bits;
    GraphWork<Number> work;
    const Judged<Number> now = judged(p, z, tolerance, work);
    if (!now.measure.finite()) continue;
    if (now.sure || (bits == kMostBits && now.error <= 1e-30L * tolerance)) {
      measure = now.measure.upward();
      break;
    }
  }
  Number::precision() = before;
  return measure;
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
    for (int k = 0; k < size; ++k) v.emplace_back(y[at + k]);
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
    velocity[0] += Number(p.mu[c]) * norm(velocity + 1, d - 1);
    Numbers w;
    for (int k = 0; k < d; ++k) w.push_back(Number(r[d * c + k]) - velocity[k]);
    project(p.mu[c], p.mu[c], d, w.data());
    for (int k = 0; k < d; ++k) {
      const Number f = Number(r[d * c + k]) - w[static_cast<std::size_t>(k)], q(p.q[d * c + k]);
      error += f * f;
      errors[part] += f * f;
      size += q * q;
      sizes[part] += q * q;
    }
  }
  error = sqrt(error);
  size = sqrt(size);
  if (size <= 1e-14) return error;
  Number worst = error / size;
  for (std::size_t k = 0; k < errors.size(); ++k)
    worst = max(worst, sqrt(errors[k]) / max(sqrt(sizes[k]), min(Number(1.0), size)));
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

std::optional<double> linear_measure(const Matrix& m, const Vector& q, const Vector& lower,
                                     const Vector& upper, const Vector& z, double tolerance,
                                     double measure) {
  if (!z.allFinite() || is_sure(measure, tolerance, 4 * kUnit * tolerance)) return {};
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

std::optional<double> precise_measure(const Mcp& p, const Answer& a, double tolerance, double,
                                      ResidualWork&) {
  if (!p.graph || !a.z.allFinite()) return {};
  thread_local GraphWork<Extended> work;  // kept: every verdict on a graph needs it
  if (judged(p, a.z, tolerance, work).sure) return {};
  return settled(p, a.z, tolerance);
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
      64 * kUnit * most * (primal + dual + primal * dual) + 4 * kUnit * tolerance;
  if (is_sure(measure, tolerance, error)) return {};
  return settled(tolerance, [&] { return cone_measure(p, a.z, a.dual); });
}

std::optional<double> precise_measure(const FrictionContact& p, const Answer& a, double tolerance,
                                      double measure, ResidualWork& work) {
  const AffineSum& u = work.first;
  if (!a.z.allFinite() || !u.values.allFinite()) return {};
  const int d = p.dimension;
  Extended squares = 0, scale = 0;
  for (int c = 0; c < p.contacts(); ++c) {
    Extended size =
        segment_norm(work.extended_x, d * c, d) + (1 + p.mu[c]) * segment_norm(u.values, d * c, d);
    if (p.is_operator()) size += (1 + p.mu[c]) * segment_norm(u.sizes, d * c, d);
    squares += size * size;
  }
  for (const Extended q : p.q) scale += q * q;
  scale = std::sqrt(scale);
  const Extended error =
      4 * kUnit * tolerance +
      64 * kUnit * std::sqrt(squares) / (scale > 1e-14L ? std::min(scale, 1.0L) : 1.0L);
  if (is_sure(measure, tolerance, error)) return {};
  const FrictionMeasure parts(p);
  std::optional<MassInverse> mass;
  if (p.is_operator()) mass.emplace(p.M);
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
  if (is_sure(measure, tolerance, 64 * kUnit * (size + tolerance))) return {};
  return settled(tolerance, [&] { return compliant_measure(p, a.z); });
}

}  // namespace perp
