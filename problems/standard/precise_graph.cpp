// Precise measures of problems given by graphs of expressions.
#include <algorithm>
#include <cmath>
#include <perp/problems/standard/precise_measure.hpp>
#include <perp/problems/standard/precise_parts.hpp>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace perp {

namespace {

// A value with a bound on its error, to first order and on the safe side.
template <class T>
struct Bounded {
  T value = T(0.0);
  Extended error = 0;
  bool nonnegative = false;  ///< the exact value is at least 0, whatever the error
};

Extended nearest(Extended x) { return x; }
Extended nearest(const Number& x) { return x.nearest(); }
bool finite(Extended x) { return std::isfinite(x); }
bool finite(const Number& x) { return x.finite(); }
// Relative error of an operation, functions of the library included.
Extended unit_of(Extended) { return 4 * kExtendedUnit; }
Extended unit_of(const Number&) { return std::ldexp(4.0L, -static_cast<int>(Number::precision())); }

// With the most bits any sum of doubles is exact, so a number that may be below 0 is not.
template <class T>
bool is_most_precise() {
  return std::is_same_v<T, Number> && Number::precision() >= kMostBits;
}

// The error of v, a power, that comes from the errors of its operands, on the safe side.
template <class T>
Extended carried_error_of_power(const Bounded<T>& base, const Bounded<T>& exponent, Extended v) {
  const Extended a = nearest(base.value), ea = base.error;
  const Extended b = nearest(exponent.value), eb = exponent.error;
  if (eb == 0 && (ea == 0 || b == 0)) return 0;
  // An exponent that is whole with the most bits is no other number.
  const bool whole = std::nearbyint(b) == b && (eb == 0 || is_most_precise<T>());
  if (ea < std::abs(a) / 2 && (a > 0 || whole)) {
    return std::abs(v) * std::expm1((std::abs(b) + eb) * 2 * ea / std::abs(a) +
                                    (eb > 0 ? std::abs(std::log(std::abs(a))) * eb : 0));
  }
  // The base may be 0: v and the exact power are both in the range of what is this close to 0.
  const bool defined = whole || base.nonnegative || a >= ea || is_most_precise<T>();
  if (!defined || !(b - eb > 0)) return HUGE_VALL;
  const Extended top = std::abs(a) + ea;
  return 2 * std::max(std::pow(top, b - eb), std::pow(top, b + eb)) +
         std::numeric_limits<Extended>::min();
}

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
      if (ea == 0) return 0;
      if (ea < a / 2) return ea / v;
      return x[0].nonnegative || is_most_precise<T>() ? std::sqrt(std::abs(a) + ea) : infinity;
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
      return carried_error_of_power(x[0], x[1], v);
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

// Whether the exact value is at least 0 whatever the errors of the operands are.
template <class T>
bool is_nonnegative(Operation operation, std::span<const int> operands,
                    const std::vector<Bounded<T>>& x) {
  using enum Operation;
  switch (operation) {
    case kSqrt:
    case kExp:
    case kAbs:
    case kNorm:
      return true;
    case kMultiply:
      return operands[0] == operands[1] || (x[0].nonnegative && x[1].nonnegative);
    case kAdd:
    case kDivide:
    case kMin:
      return x[0].nonnegative && x[1].nonnegative;
    case kMax:
      return x[0].nonnegative || x[1].nonnegative;
    case kPow: {
      const Extended power = nearest(x[1].value);
      return x[0].nonnegative || (x[1].error == 0 && std::fmod(power, 2.0L) == 0);
    }
    default:
      return false;
  }
}

// The error of an operation whose operands are exact: rounding, and underflow if the result is too
// small although no operand is zero.
template <class T>
Extended own_error(Operation operation, const std::vector<Bounded<T>>& x, const T& v,
                   Extended size) {
  using enum Operation;
  constexpr Extended kSmallest = std::numeric_limits<Extended>::min();
  const auto is_zero = [](const Bounded<T>& b) { return b.value == T(0.0); };
  const auto count = static_cast<Extended>(operation == kNorm ? x.size() : 1);
  Extended error = count * unit_of(v) * size;
  if (operation == kNorm) {  // squares underflow sooner
    if (!(size > std::sqrt(kSmallest / kExtendedUnit))) {
      for (const Bounded<T>& b : x) error += std::abs(nearest(b.value));
    }
  } else if (size < kSmallest && std::none_of(x.begin(), x.end(), is_zero)) {
    error += kSmallest;
  } else if (size < kSmallest && operation == kExp) {
    error += kSmallest;
  }
  return error;
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
      work.nodes.push_back({node.value, 0, node.value >= 0});
    } else if (node.operation == Operation::kVariable) {
      work.nodes.push_back({z[node.first], 0, z[node.first] >= 0});
    } else if (node.operation == Operation::kParameter) {
      work.nodes.push_back({p.parameters[node.first], 0, p.parameters[node.first] >= 0});
    } else {
      work.operands.clear();
      work.values.clear();
      for (const int k : graph.operands_of(node)) {
        work.operands.push_back(work.nodes[static_cast<std::size_t>(k)]);
        work.values.push_back(work.operands.back().value);
      }
      T v = value_of<T>(node.operation, work.values);
      const Extended size = nearest(v);
      const Extended error = 2 * carried_error(node.operation, work.operands, size) +
                             own_error(node.operation, work.operands, v, std::abs(size));
      const bool nonnegative =
          is_nonnegative(node.operation, graph.operands_of(node), work.operands);
      work.nodes.push_back({std::move(v), error, nonnegative});
    }
  }
  outputs.clear();
  for (const int k : graph.outputs) outputs.push_back(work.nodes[static_cast<std::size_t>(k)]);
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

}  // namespace

std::optional<double> precise_measure(const Mcp& p, const Answer& a, double tolerance, double,
                                      ResidualWork&) {
  if (!p.graph || !a.z.allFinite()) return {};
  thread_local GraphWork<Extended> work;  // kept: every verdict on a graph needs it
  if (judged(p, a.z, tolerance, work).sure) return {};
  return settled(p, a.z, tolerance);
}

}  // namespace perp
