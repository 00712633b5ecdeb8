// What precise measures have in common.
#pragma once

#include <limits>
#include <perp/problems/expression/number.hpp>
#include <perp/problems/matrix/infinity.hpp>
#include <perp/problems/standard/extended.hpp>

namespace perp {

/// Relative distance of neighbours in extended precision.
inline constexpr Extended kExtendedUnit = std::numeric_limits<Extended>::epsilon();
/// Bits of the numbers that a measure is computed with, until its digits are sure.
inline constexpr mpfr_prec_t kFewestBits = 256, kMostBits = 4096;

/// mid(z - l, z - u, f)
template <class T>
T middle(double z, double lower, double upper, T f) {
  using std::max, std::min;
  if (lower > -kInfinity) f = min(f, T(T(z) - T(lower)));
  if (upper < kInfinity) f = max(f, T(T(z) - T(upper)));
  return f;
}

}  // namespace perp
