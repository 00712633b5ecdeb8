// Options of formulations: "key=value,key=value".
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perp {

/// An option with named values.
struct ChoiceOption {
  std::string_view name;
  std::vector<std::string_view> values;
  std::function<void(int)> set;  ///< with the place of the value in `values`
};

/// @throws std::invalid_argument naming the option or value that is unknown and those there are.
void read_options(const std::string& text, const std::vector<ChoiceOption>& options);

/// The pairs (key, value); the value is empty where there is no "=".
std::vector<std::pair<std::string, std::string>> split_options(const std::string& text);

/// A speed in m/s, >= 0. @throws std::invalid_argument naming the option.
double read_speed_option(const std::string& name, const std::string& text);

/// A finite number above 0. @throws std::invalid_argument naming the option.
double read_positive_option(const std::string& name, const std::string& text);

/// @throws std::invalid_argument always: the option or its value is not known.
[[noreturn]] void refuse_option(const std::string& key, const std::string& value,
                                const std::string& expected);

}  // namespace perp
