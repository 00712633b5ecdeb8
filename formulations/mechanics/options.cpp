#include <perp/formulations/mechanics/options.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace perp {

void read_options(const std::string& text, const std::vector<ChoiceOption>& options) {
  std::vector<std::string> known;
  for (const ChoiceOption& option : options)
    known.push_back(fmt::format("{}={}", option.name, fmt::join(option.values, "|")));
  for (const auto& [key, value] : split_options(text)) {
    const auto option =
        std::find_if(options.begin(), options.end(),
                     [&name = key](const ChoiceOption& o) { return o.name == name; });
    const auto chosen = option == options.end()
                            ? std::vector<std::string_view>::const_iterator()
                            : std::find(option->values.begin(), option->values.end(), value);
    if (option == options.end() || chosen == option->values.end()) {
      refuse_option(key, value, fmt::format("{}", fmt::join(known, " or ")));
    }
    option->set(static_cast<int>(chosen - option->values.begin()));
  }
}

std::vector<std::pair<std::string, std::string>> split_options(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> options;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    const std::size_t equals = std::min(item.find('='), item.size());
    options.emplace_back(item.substr(0, equals), item.substr(std::min(equals + 1, item.size())));
  }
  return options;
}

namespace {

// Not a number where there is none.
double number_in(const std::string& text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? value : std::nan("");
}

}  // namespace

double read_positive_option(const std::string& name, const std::string& text) {
  const double value = number_in(text);
  if (!(value > 0 && std::isfinite(value))) {
    throw std::invalid_argument(
        fmt::format("formulation option {}: \"{}\" is not a finite number above 0", name, text));
  }
  return value;
}

double read_speed_option(const std::string& name, const std::string& text) {
  const double value = number_in(text);
  if (!(value >= 0 && value < 1e9)) {
    throw std::invalid_argument(
        fmt::format("formulation option {}: \"{}\" is not a speed in m/s", name, text));
  }
  return value;
}

void refuse_option(const std::string& key, const std::string& value, const std::string& expected) {
  throw std::invalid_argument(fmt::format("formulation option \"{}{}{}\": expected {}", key,
                                          value.empty() ? "" : "=", value, expected));
}

}  // namespace perp
