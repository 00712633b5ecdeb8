#include "oracle.hpp"

#include <cmath>
#include <numeric>
#include <perp/problems/matrix/infinity.hpp>
#include <vector>

namespace perp::adversary {

namespace {

using Reals = std::vector<Real>;

template <class T>
T zero() {
  return T(0.0);
}
template <>
mpq_class zero<mpq_class>() {
  return mpq_class(0);
}
template <class T>
T exact(double x) {
  return T(x);
}

template <class T>
T absolute(const T& x) {
  return x < zero<T>() ? T(-x) : x;
}

/// sum += sign * A x, or A'x.
template <class T, class X>
void add_product(const Matrix& a, const X& x, std::vector<T>& sum, int sign = 1,
                 bool transposed = false) {
  for (int col = 0; col < a.cols(); ++col) {
    a.for_column(col, [&](int row, double value) {
      const T product = exact<T>(sign * value) * T(x[transposed ? row : col]);
      sum[static_cast<std::size_t>(transposed ? col : row)] += product;
    });
  }
}

template <class T>
std::vector<T> vector_of(const Vector& v) {
  std::vector<T> r;
  r.reserve(static_cast<std::size_t>(v.size()));
  for (const double x : v) r.push_back(exact<T>(x));
  return r;
}

// max_i |mid(z_i - l_i, z_i - u_i, F_i)|
template <class T>
T box_measure(const Vector& z, const std::vector<T>& f, const Vector& lower, const Vector& upper) {
  T worst = zero<T>();
  for (int i = 0; i < z.size(); ++i) {
    T value = f[static_cast<std::size_t>(i)];
    if (lower[i] > -kInfinity) {
      const T above = exact<T>(z[i]) - exact<T>(lower[i]);
      if (above < value) value = above;
    }
    if (upper[i] < kInfinity) {
      const T below = exact<T>(z[i]) - exact<T>(upper[i]);
      if (value < below) value = below;
    }
    value = absolute(value);
    if (worst < value) worst = value;
  }
  return worst;
}

Real linear_measure(const Matrix& m, const Vector& q, const Vector& z, const Vector& lower,
                    const Vector& upper) {
  if (!z.allFinite()) return kInfinity;
  std::vector<mpq_class> f = vector_of<mpq_class>(q);
  add_product<mpq_class>(m, z, f);
  return rounded_up(box_measure<mpq_class>(z, f, lower, upper));
}

// ---- graphs

Real value_of(Operation operation, const Reals& x) {
  using enum Operation;
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
      return x[0].nan() || x[1].nan() ? x[0] + x[1] : min(x[0], x[1]);
    case kMax:
      return x[0].nan() || x[1].nan() ? x[0] + x[1] : max(x[0], x[1]);
    case kNorm: {
      Real squares;
      for (const Real& v : x) squares += v * v;
      return sqrt(squares);
    }
    default:
      return Real(std::nan(""));
  }
}

Reals graph_values(const Mcp& problem, const Vector& z) {
  const ExpressionGraph& graph = *problem.graph;
  Reals values;
  values.reserve(graph.nodes.size());
  for (const ExpressionGraph::Node& node : graph.nodes) {
    switch (node.operation) {
      case Operation::kConstant:
        values.emplace_back(node.value);
        break;
      case Operation::kVariable:
        values.emplace_back(z[node.first]);
        break;
      case Operation::kParameter:
        values.emplace_back(problem.parameters[node.first]);
        break;
      default: {
        Reals operands;
        for (const int k : graph.operands_of(node))
          operands.push_back(values[static_cast<std::size_t>(k)]);
        values.push_back(value_of(node.operation, operands));
      }
    }
  }
  Reals outputs;
  for (const int k : graph.outputs) outputs.push_back(values[static_cast<std::size_t>(k)]);
  return outputs;
}

bool all_finite(const Reals& v) {
  for (const Real& x : v) {
    if (!x.finite()) return false;
  }
  return true;
}

std::optional<Real> measure_of(const Mcp& p, const Answer& answer, double tolerance) {
  if (!p.graph) return {};
  const Vector& z = answer.z;
  if (!z.allFinite()) return Real(kInfinity);
  const Reals f = graph_values(p, z);
  if (!all_finite(f)) return Real(kInfinity);
  const Real natural = box_measure<Real>(z, f, p.lower, p.upper);
  if (natural > tolerance) return natural;
  // Rows that a bound holds are judged on the bound, the others where they are, within bounds.
  Vector at = z.cwiseMax(p.lower).cwiseMin(p.upper);
  std::vector<char> held(f.size(), 0);
  for (int i = 0; i < z.size(); ++i) {
    const Real& value = f[static_cast<std::size_t>(i)];
    const double size = abs(value).upward();
    if (std::abs(size - tolerance) <= 1e-12 * tolerance) return {};
    if (size < tolerance) continue;
    held[static_cast<std::size_t>(i)] = p.lower[i] < p.upper[i];
    const double bound = value > 0.0 ? p.lower[i] : p.upper[i];
    if (std::isfinite(bound)) at[i] = bound;
  }
  const Reals g = graph_values(p, at);
  if (!all_finite(g)) return Real(kInfinity);
  Real worst = natural;
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (held[i]) worst = max(worst, f[i] > 0.0 ? -g[i] : g[i]);
  }
  return worst;
}

std::optional<Real> measure_of(const Lcp& p, const Answer& answer, double) {
  const auto n = p.q.size();
  return linear_measure(p.M, p.q, answer.z, Vector::Zero(n), Vector::Constant(n, kInfinity));
}
std::optional<Real> measure_of(const Mlcp& p, const Answer& answer, double) {
  return linear_measure(p.M, p.q, answer.z, p.lower, p.upper);
}
std::optional<Real> measure_of(const BoxQp& p, const Answer& answer, double) {
  return linear_measure(p.H, p.c, answer.z, p.lower, p.upper);
}

// ---- cones

Real norm(const Reals& v, std::size_t first = 0) {
  Real squares;
  for (std::size_t k = first; k < v.size(); ++k) squares += v[k] * v[k];
  return sqrt(squares);
}
Real largest(const Reals& v) {
  Real value;
  for (const Real& x : v) value = max(value, abs(x));
  return value;
}

// The nearest point of {(t, x): |x| <= mu t}.
Reals projected(const Reals& v, const Real& mu) {
  const Real length = norm(v, 1);
  if (v[0] >= 0.0 && length <= mu * v[0]) return v;
  if (mu * length <= -v[0]) return Reals(v.size());
  const Real normal = (v[0] + mu * length) / (Real(1.0) + mu * mu);
  Reals p = {normal};
  for (std::size_t k = 1; k < v.size(); ++k)
    p.push_back(length > 0.0 ? mu * normal * v[k] / length : Real());
  return p;
}

Reals difference(const Reals& a, const Reals& b) {
  Reals c;
  for (std::size_t k = 0; k < a.size(); ++k) c.push_back(a[k] - b[k]);
  return c;
}

std::optional<Real> measure_of(const ConicQp& p, const Answer& answer, double) {
  const Vector &x = answer.z, &y = answer.dual;
  if (!x.allFinite() || !y.allFinite()) return Real(kInfinity);
  Reals s = vector_of<Real>(p.b), g = vector_of<Real>(p.c);
  add_product<Real>(p.A, x, s, -1);
  add_product<Real>(p.P, x, g);
  add_product<Real>(p.A, y, g, 1, true);
  Real worst = largest(g);
  std::size_t at = 0;
  for (const Cone& cone : p.cones) {
    const auto size = static_cast<std::size_t>(cone.size);
    if (cone.type == ConeType::kSecondOrder) {
      const Reals u(s.begin() + static_cast<long>(at), s.begin() + static_cast<long>(at + size));
      Reals v;
      for (std::size_t k = at; k < at + size; ++k) v.emplace_back(y[static_cast<long>(k)]);
      const Reals pu = projected(u, 1.0), pv = projected(v, 1.0);
      worst = max(worst, max(largest(difference(u, pu)), largest(difference(v, pv))));
      const Real map = largest(difference(u, projected(difference(u, v), 1.0)));
      Real product;
      for (std::size_t k = 0; k < size; ++k) product += pu[k] * pv[k];
      worst = max(worst, min(map, max(Real(), product)));
    } else {
      for (std::size_t k = at; k < at + size; ++k) {
        const Real dual(y[static_cast<long>(k)]);
        if (cone.type == ConeType::kZero) {
          worst = max(worst, abs(s[k]));
          continue;
        }
        worst = max(worst, max(-s[k], -dual));
        worst = max(worst, min(abs(min(s[k], dual)), max(Real(), s[k]) * max(Real(), dual)));
      }
    }
    at += size;
  }
  return worst;
}

// Solves A x = b by elimination; nothing if A is singular.
std::optional<Reals> solved(std::vector<Reals> a, Reals b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (abs(a[i][k]) > abs(a[pivot][k])) pivot = i;
    }
    if (a[pivot][k] == 0.0) return {};
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const Real factor = a[i][k] / a[k][k];
      if (factor == 0.0) continue;
      for (std::size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k][j] * b[j];
    b[k] = b[k] / a[k][k];
  }
  return b;
}

std::vector<Reals> rows_of(const Matrix& m) {
  std::vector<Reals> rows(static_cast<std::size_t>(m.rows()),
                          Reals(static_cast<std::size_t>(m.cols())));
  for (int col = 0; col < m.cols(); ++col)
    m.for_column(col, [&](int row, double value) {
      rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(col)] += value;
    });
  return rows;
}

std::optional<Reals> velocities(const FrictionContact& p, const Vector& r) {
  Reals u = vector_of<Real>(p.q);
  if (p.is_operator()) {
    Reals momentum(static_cast<std::size_t>(p.J.cols()));
    add_product<Real>(p.J, r, momentum, 1, true);
    const std::optional<Reals> v = solved(rows_of(p.M), momentum);
    if (!v) return {};
    add_product<Real>(p.J, *v, u);
  } else {
    add_product<Real>(p.W, r, u);
  }
  for (int i = 0; i < p.compliance.size(); ++i)
    u[static_cast<std::size_t>(i)] += Real(p.compliance[i]) * Real(r[i]);
  return u;
}

// For each contact the number of its part: contacts that act on each other.
std::vector<int> parts_of(const FrictionContact& p) {
  const int nc = p.contacts(), d = p.dimension;
  std::vector<int> part(static_cast<std::size_t>(nc));
  std::iota(part.begin(), part.end(), 0);
  const auto join = [&](int a, int b) {
    const int from = part[static_cast<std::size_t>(a)], to = part[static_cast<std::size_t>(b)];
    for (int& k : part) {
      if (k == from) k = to;
    }
  };
  if (p.is_operator()) {
    // Columns of J that M couples are one.
    const int m = p.J.cols();
    std::vector<int> column(static_cast<std::size_t>(m));
    std::iota(column.begin(), column.end(), 0);
    for (int col = 0; col < m; ++col) {
      p.M.for_column(col, [&](int row, double) {
        const int from = column[static_cast<std::size_t>(row)];
        const int to = column[static_cast<std::size_t>(col)];
        for (int& k : column) {
          if (k == from) k = to;
        }
      });
    }
    std::vector<int> first(static_cast<std::size_t>(m), -1);
    for (int col = 0; col < m; ++col) {
      int& seen = first[static_cast<std::size_t>(column[static_cast<std::size_t>(col)])];
      p.J.for_column(col, [&](int row, double) {
        if (seen < 0) seen = row / d;
        join(row / d, seen);
      });
    }
    return part;
  }
  const DenseMatrix w = p.W.to_dense();
  const auto block = [&](int a, int b) {
    Real squares;
    for (int i = 0; i < d; ++i) {
      for (int j = 0; j < d; ++j) {
        const Real x(w(d * a + i, d * b + j));
        squares += x * x;
      }
    }
    return sqrt(squares);
  };
  for (int a = 0; a < nc; ++a) {
    for (int b = 0; b < nc; ++b) {
      if (a != b && block(a, b) > Real(0x1p-52) * sqrt(block(a, a) * block(b, b))) join(a, b);
    }
  }
  return part;
}

std::optional<Real> measure_of(const FrictionContact& p, const Answer& answer, double) {
  const Vector& r = answer.z;
  if (!r.allFinite()) return Real(kInfinity);
  const std::optional<Reals> u = velocities(p, r);
  if (!u) return {};
  const auto d = static_cast<std::size_t>(p.dimension);
  const std::vector<int> part = parts_of(p);
  std::vector<Real> errors(part.size()), sizes(part.size());
  Real error, size;
  for (std::size_t c = 0; c < part.size(); ++c) {
    const Real mu(p.mu[static_cast<long>(c)]);
    Reals impulse, hat;
    for (std::size_t k = 0; k < d; ++k) {
      impulse.emplace_back(r[static_cast<long>(d * c + k)]);
      hat.push_back((*u)[d * c + k]);
      const Real q(p.q[static_cast<long>(d * c + k)]);
      size += q * q;
      sizes[static_cast<std::size_t>(part[c])] += q * q;
    }
    const Real normal = min(impulse[0], hat[0]);
    hat[0] += mu * norm(hat, 1);
    const Reals f = difference(impulse, projected(difference(impulse, hat), mu));
    Real square;
    for (const Real& x : f) square += x * x;
    error += square;
    errors[static_cast<std::size_t>(part[c])] += max(square, normal * normal);
  }
  error = sqrt(error);
  size = sqrt(size);
  const bool absolute = size <= 1e-14;
  Real worst = absolute ? error : error / size;
  for (std::size_t k = 0; k < errors.size(); ++k) {
    const Real least = absolute ? Real(1.0) : max(sqrt(sizes[k]), min(Real(1.0), size));
    worst = max(worst, sqrt(errors[k]) / least);
  }
  return worst;
}

// P_F of [CastroPermenterHan2022, Sec. IV] in the norm of R = diag(R_n, R_t, R_t), order (n, t1,
// t2).
Reals compliant_impulse(const Reals& y, const Real& mu, const Real& rn, const Real& rt) {
  const Real length = norm(y, 1);
  if (y[0] >= 0.0 && length <= mu * y[0]) return y;
  const Real mu_hat = mu * rt / rn;
  if (y[0] <= -(mu_hat * length)) return Reals(3);
  const Real normal = (y[0] + mu_hat * length) / (Real(1.0) + mu * mu * rt / rn);
  Reals g = {normal};
  for (std::size_t k = 1; k < 3; ++k)
    g.push_back(length > 0.0 ? mu * normal * y[k] / length : Real());
  return g;
}

std::optional<Real> measure_of(const ConvexContact& p, const Answer& answer, double) {
  const Vector& v = answer.z;
  if (!v.allFinite()) return Real(kInfinity);
  Reals minus = vector_of<Real>(-p.bias);
  add_product<Real>(p.J, v, minus);
  Reals gamma;
  for (int c = 0; c < p.contacts(); ++c) {
    Reals y;
    for (int k = 3 * c; k < 3 * c + 3; ++k)
      y.push_back(-minus[static_cast<std::size_t>(k)] / Real(p.R[k]));
    for (const Real& g : compliant_impulse(y, p.mu[c], p.R[3 * c], p.R[3 * c + 1]))
      gamma.push_back(g);
  }
  Reals gradient(static_cast<std::size_t>(p.size()));
  add_product<Real>(p.A, v, gradient);
  add_product<Real>(p.A, p.v_star, gradient, -1);
  for (int col = 0; col < p.J.cols(); ++col) {
    p.J.for_column(col, [&](int row, double value) {
      gradient[static_cast<std::size_t>(col)] -= Real(value) * gamma[static_cast<std::size_t>(row)];
    });
  }
  return largest(gradient);
}

}  // namespace

std::optional<Real> exact_measure(const ProblemData& problem, const Answer& answer,
                                  double tolerance) {
  Real::precision() = kBits;
  return std::visit([&](const auto& p) { return measure_of(p, answer, tolerance); }, problem);
}

}  // namespace perp::adversary
