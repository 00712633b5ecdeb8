// The arithmetic of each operation, once for all who evaluate graphs.
#pragma once

#include <cmath>
#include <perp/problems/expression/graph.hpp>

namespace perp {

/// Value of an operation with one or two operands (b is ignored where there is one). Leaves and
/// norm have no kernel: NaN.
template <Operation operation>
double kernel(double a, double b) {
  using enum Operation;
  if constexpr (operation == kNegate) return -a;
  if constexpr (operation == kSqrt) return std::sqrt(a);
  if constexpr (operation == kExp) return std::exp(a);
  if constexpr (operation == kLog) return std::log(a);
  if constexpr (operation == kSin) return std::sin(a);
  if constexpr (operation == kCos) return std::cos(a);
  if constexpr (operation == kTan) return std::tan(a);
  if constexpr (operation == kAtan) return std::atan(a);
  if constexpr (operation == kTanh) return std::tanh(a);
  if constexpr (operation == kAbs) return std::abs(a);
  if constexpr (operation == kAdd) return a + b;
  if constexpr (operation == kSubtract) return a - b;
  if constexpr (operation == kMultiply) return a * b;
  if constexpr (operation == kDivide) return a / b;
  if constexpr (operation == kPow) return std::pow(a, b);
  if constexpr (operation == kMin) return a <= b ? a : (b < a ? b : a + b);  // a + b: a NaN stays
  if constexpr (operation == kMax) return a >= b ? a : (b > a ? b : a + b);
  if constexpr (operation == kSign) return static_cast<double>(a > 0) - static_cast<double>(a < 0);
  if constexpr (operation == kAtLeast) return a >= b ? 1.0 : 0.0;
  if constexpr (operation == kRatioOrZero) return b == 0.0 ? 0.0 : a / b;
  if constexpr (operation == kPowLog) {
    return a == 0.0 && b > 0.0 ? 0.0 : std::pow(a, b) * std::log(a);
  }
  return std::nan("");
}

/// Euclidean norm of operand(0), ..., operand(count - 1), scaled only where the squares leave the
/// range of a double.
template <class Operand>
double norm_of(int count, Operand&& operand) {
  double sum = 0.0;
  for (int k = 0; k < count; ++k) sum += operand(k) * operand(k);
  if (sum > 1e-290 && sum < 1e300) return std::sqrt(sum);
  double norm = 0.0;
  for (int k = 0; k < count; ++k) norm = std::hypot(norm, operand(k));
  return norm;
}

}  // namespace perp
