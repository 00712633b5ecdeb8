// What stands for no bound.
#pragma once

#include <limits>

namespace perp {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace perp
