#include <perp/solvers/box/complementarity_function.hpp>

#include <perp/problems/standard/residuals.hpp>

#include <algorithm>
#include <cmath>
#include <perp/problems/matrix/infinity.hpp>

namespace perp {

namespace {

constexpr double kEvenSlope = 0.29289321881345248;  // 1 - 1/sqrt(2)
constexpr double kKink = 1e-150;  // a smaller norm of (a, b) is the kink: its square underflows

constexpr double kFar = 1e8;  // a part beside which the other one loses half of its digits

// phi(a, b) beside a large positive a or b: a + b - norm would lose the digits of the other one,
// and squares may overflow.
ComplementarityRow far_row(double a, double b) {
  const double norm = std::hypot(a, b);
  const double da = a > 0 ? b / norm * (b / (norm + a)) : 1.0 - a / norm;
  const double db = b > 0 ? a / norm * (a / (norm + b)) : 1.0 - b / norm;
  double value = 0.0;
  if (a > 0 && b > 0) {
    value = 2.0 * std::min(a, b) / (1.0 + std::min(a, b) / std::max(a, b) + norm / std::max(a, b));
  } else {
    value = a > 0 ? b - b * (b / (norm + a)) : a - a * (a / (norm + b));
  }
  return {value, da, db};
}

// phi(a, b) = a + b - sqrt(a^2 + b^2) [Fischer1992].
ComplementarityRow fischer_burmeister_row(double a, double b) {
  if (std::max(a, b) > kFar) return far_row(a, b);
  const double norm = std::sqrt(a * a + b * b);
  if (!(norm > kKink)) return {a + b - norm, kEvenSlope, kEvenSlope};
  // If b is small compared with a > 0, 1 - a / norm loses all digits; b^2 / (norm (norm + a)) is
  // the same number and does not.
  const double da = a > 0 ? b * b / (norm * (norm + a)) : 1.0 - a / norm;
  const double db = b > 0 ? a * a / (norm * (norm + b)) : 1.0 - b / norm;
  return {a > 0 && b > 0 ? 2.0 * a / (a + b + norm) * b : a + b - norm, da, db};
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
