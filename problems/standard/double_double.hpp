// Sums and products of two doubles with their rounding errors.
#pragma once

namespace perp::double_double {

// All have internal linkage: sources that are compiled for other machines have copies of their own.

/// x as a sum of two halves of 26 bits each [Dekker1971].
struct Halves {
  double high, low;
};
static inline Halves split(double x) {
  const double c = 0x1p27 * x + x, high = c - (c - x);
  return {high, x - high};
}
/// The rounding error of the product of two doubles, from their halves [Dekker1971].
static inline double error_of(double product, const Halves& u, const Halves& v) {
  return ((u.high * v.high - product) + u.high * v.low + u.low * v.high) + u.low * v.low;
}
/// a := a + b. @return the rounding error: a + error is the sum [Knuth1998, Sec. 4.2.2]
static inline double two_sum(double& a, double b) {
  const double sum = a + b, virtual_b = sum - a;
  const double error = (a - (sum - virtual_b)) + (b - virtual_b);
  a = sum;
  return error;
}

}  // namespace perp::double_double
