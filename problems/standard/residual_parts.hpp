// What the residuals of all kinds share.
#pragma once

#include <cmath>
#include <limits>
#include <perp/problems/standard/extended.hpp>
#include <string_view>

namespace perp {

inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// @throws std::invalid_argument naming the field if the length is not n
void check_length(std::string_view field, const Vector& v, long n);

/// largest = max(largest, value). A NaN counts as infinite, so that it never meets a tolerance.
inline void raise(Extended& largest, Extended value) {
  if (std::isnan(value)) value = HUGE_VALL;
  if (value > largest) largest = value;
}

/// The largest residual and its row; the first row if all are zero.
struct LargestResidual {
  Extended value = 0;
  int index = -1;

  void add(int row, Extended residual) {
    if (!(residual <= value) || index < 0) index = row;
    raise(value, residual);
  }
};

}  // namespace perp
