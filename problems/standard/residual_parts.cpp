#include <perp/problems/standard/residual_parts.hpp>

#include <fmt/format.h>
#include <stdexcept>

namespace perp {

void check_length(std::string_view field, const Vector& v, long n) {
  if (v.size() != n) {
    throw std::invalid_argument(fmt::format("{}: length is {}, expected {}", field, v.size(), n));
  }
}

}  // namespace perp
