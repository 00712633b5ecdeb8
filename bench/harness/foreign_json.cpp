#include <perp/bench/harness/foreign_json.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <perp/problems/json/json.hpp>

namespace perp {

namespace {

constexpr int kMaxDepth = 100;

// Counts the levels of nesting and checks nothing else. Brackets in strings are ignored.
int depth_of(std::string_view text) {
  int depth = 0, deepest = 0;
  bool in_string = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (in_string) {
      if (c == '\\') ++k;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return deepest;
}

}  // namespace

nlohmann::json parse_foreign_json(std::string_view text, const std::string& place) {
  if (depth_of(text) > kMaxDepth)
    throw InputError(fmt::format("{}: nested more than {} levels deep", place, kMaxDepth));
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception&) {
    throw InputError(fmt::format("{}: not valid JSON", place));
  }
}

}  // namespace perp
