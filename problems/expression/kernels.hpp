// The arithmetic of each operation, shared by all code that evaluates graphs.
#pragma once

#include <cmath>
#include <limits>
#include <perp/problems/expression/graph.hpp>
#include <type_traits>

namespace perp {

/// Value of an operation with one or two operands (b is ignored if there is only one). Leaves and
/// norm have no kernel: NaN.
template <Operation operation, class T>
T kernel(T a, T b) {
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
  if constexpr (operation == kSign) return static_cast<T>(a > 0) - static_cast<T>(a < 0);
  if constexpr (operation == kAtLeast) return a >= b ? T(1) : T(0);
  if constexpr (operation == kRatioOrZero) return b == T(0) ? T(0) : a / b;
  if constexpr (operation == kPowLog) {
    return a == T(0) && b > T(0) ? T(0) : std::pow(a, b) * std::log(a);
  }
  return std::numeric_limits<T>::quiet_NaN();
}

/// Euclidean norm of operand(0), ..., operand(count - 1). It is computed with scaling (std::hypot)
/// only if the sum of squares is near the ends of the range of a double.
template <class Operand>
auto norm_of(int count, Operand&& operand) {
  using T = std::remove_cvref_t<decltype(operand(0))>;
  T sum = 0;
  for (int k = 0; k < count; ++k) sum += operand(k) * operand(k);
  if (sum > 1e-290 && sum < 1e300) return std::sqrt(sum);
  T norm = 0;
  for (int k = 0; k < count; ++k) norm = std::hypot(norm, operand(k));
  return norm;
}

}  // namespace perp
