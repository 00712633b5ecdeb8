#include <perp/problems/io/csv_field.hpp>

namespace perp {

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string field = "\"";
  for (const char c : text) {
    field += c;
    if (c == '"') field += '"';
  }
  return field + '"';
}

}  // namespace perp
