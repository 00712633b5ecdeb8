#include <perp/solvers/core/settings.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace perp {

std::string text_of(const Range& range, bool whole) {
  const std::string what = whole ? "a whole number" : "a number";
  if (!std::isfinite(range.high)) {
    return fmt::format("{} {} {}", what, range.open_low ? "above" : "of at least", range.low);
  }
  if (range.open_high) return fmt::format("{} between {} and {}", what, range.low, range.high);
  if (range.open_low) return fmt::format("{} above {} and up to {}", what, range.low, range.high);
  return fmt::format("{} from {} to {}", what, range.low, range.high);
}

std::string text_of(const Choices& choices) {
  std::string text;
  for (auto it = choices.begin(); it != choices.end(); ++it) {
    const bool last = it + 1 == choices.end();
    text += it == choices.begin() ? "" : last ? " or " : ", ";
    text += *it;
  }
  return text;
}

bool is_choice(const Choices& choices, std::string_view text) {
  return choices.size() == 0 || std::find(choices.begin(), choices.end(), text) != choices.end();
}

namespace {

[[noreturn]] void refuse_value(std::string_view name, std::string_view value,
                               const std::string& expected) {
  throw std::invalid_argument(
      fmt::format("setting \"{}\": \"{}\" is not {}", name, value, expected));
}

}  // namespace

void SettingCheck::visit(std::string_view name, double& value, std::string_view,
                         const Range& range) {
  if (std::isfinite(value) && range.holds(value)) return;
  refuse_value(name, fmt::format("{}", value), text_of(range, false));
}

void SettingCheck::visit(std::string_view name, int& value, std::string_view, const Range& range) {
  if (!range.holds(value)) refuse_value(name, fmt::format("{}", value), text_of(range, true));
}

void SettingCheck::visit(std::string_view name, std::string& value, std::string_view,
                         const Choices& choices) {
  if (!is_choice(choices, value)) refuse_value(name, value, text_of(choices));
}

}  // namespace perp
