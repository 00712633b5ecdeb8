#include <perp/solvers/box/complementarity_function.hpp>

#include <perp/problems/standard/residuals.hpp>

#include <algorithm>
#include <cmath>
#include <perp/problems/matrix/infinity.hpp>

namespace perp {

namespace {

constexpr double kEvenSlope = 0.29289321881345248;  // 1 - 1/sqrt(2)
constexpr double kKink = 1e-150;      // a smaller norm of (a, b) is the kink: its square underflows
constexpr double kShrink = 0x1p-600;  // of numbers whose squares overflow

// phi(a, b) = a + b - sqrt(a^2 + b^2) [Fischer1992], and its derivatives. All are written without
// the differences that lose digits if one number is large beside the other: norm - a is
// b^2 / (norm + a) for a > 0.
ComplementarityRow fischer_burmeister_row(double a, double b) {
  const double norm = std::sqrt(a * a + b * b);
  if (!(norm > kKink)) return {a + b - norm, kEvenSlope, kEvenSlope};
  if (norm == kInfinity && std::isfinite(a) && std::isfinite(b)) {  // phi(ta, tb) = t phi(a, b)
    ComplementarityRow row = fischer_burmeister_row(kShrink * a, kShrink * b);
    row.value /= kShrink;
    return row;
  }
  const double da = a > 0 ? b * b / (norm * (norm + a)) : 1.0 - a / norm;
  const double db = b > 0 ? a * a / (norm * (norm + b)) : 1.0 - b / norm;
  double value = a + b - norm;
  if (a > 0 && b > 0) {
    value = 2.0 * a / (a + b + norm) * b;
  } else if (a > 0) {
    value = b - b * (b / (norm + a));
  } else if (b > 0) {
    value = a - a * (a / (norm + b));
  }
  return {value, da, db};
}

// lambda phi(a, b) + (1 - lambda) max(a, 0) max(b, 0) [ChenChenKanzow2000].
ComplementarityRow penalised_row(double a, double b, double lambda) {
  ComplementarityRow row = fischer_burmeister_row(a, b);
  const double plus_a = std::max(a, 0.0), plus_b = std::max(b, 0.0);
  row.value = lambda * row.value + (1.0 - lambda) * plus_a * plus_b;
  row.dz = lambda * row.dz + (a > 0 ? (1.0 - lambda) * plus_b : 0.0);
  row.df = lambda * row.df + (b > 0 ? (1.0 - lambda) * plus_a : 0.0);
  return row;
}

ComplementarityRow min_row(double a, double b) {
  if (a == b) return {a, 0.5, 0.5};
  return a < b ? ComplementarityRow{a, 1.0, 0.0} : ComplementarityRow{b, 0.0, 1.0};
}

// phi(a, b) with its partial derivatives by a and b.
ComplementarityRow one_sided(const ComplementarityFunction& function, double a, double b) {
  switch (function.kind) {
    case NcpFunction::kFischerBurmeister:
      return fischer_burmeister_row(a, b);
    case NcpFunction::kPenalised:
      return penalised_row(a, b, function.lambda);
    case NcpFunction::kMin:
      break;
  }
  return min_row(a, b);
}

}  // namespace

ComplementarityRow evaluate_row(const ComplementarityFunction& function, double z, double f,
                                double lower, double upper) {
  if (lower == upper) return {z - lower, 1.0, 0.0};
  ComplementarityRow inner{f, 0.0, 1.0};  // -phi(u - z, -F); without an upper bound F
  if (upper < kInfinity) {
    inner = one_sided(function, upper - z, -f);
    inner.value = -inner.value;  // both signs cancel in the derivatives
  }
  if (lower == -kInfinity) return inner;
  const ComplementarityRow outer = one_sided(function, z - lower, inner.value);
  return {outer.value, outer.dz + outer.df * inner.dz, outer.df * inner.df};
}

double evaluate_value(const ComplementarityFunction& function, double z, double f, double lower,
                      double upper) {
  return evaluate_row(function, z, f, lower, upper).value;
}

}  // namespace perp
