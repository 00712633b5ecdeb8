// Numbers in JSON, which has no infinity and no NaN.
#pragma once

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace perp {

/// The value, or null if it is not finite.
inline nlohmann::ordered_json finite_or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

/// The member as a number; NaN if there is no such member or it is no number.
inline double number_member(const nlohmann::json& object, const char* name) {
  const auto it = object.find(name);
  return it != object.end() && it->is_number() ? it->get<double>()
                                               : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace perp
