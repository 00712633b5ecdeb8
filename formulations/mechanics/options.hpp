// Options of formulations: "key=value,key=value".
#pragma once

#include <functional>
#include <string>
#include <string_view>
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

}  // namespace perp
