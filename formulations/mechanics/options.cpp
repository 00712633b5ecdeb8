#include <perp/formulations/mechanics/options.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <stdexcept>

namespace perp {

void read_options(const std::string& text, const std::vector<ChoiceOption>& options) {
  std::vector<std::string> known;
  for (const ChoiceOption& option : options)
    known.push_back(fmt::format("{}={}", option.name, fmt::join(option.values, "|")));
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    const std::size_t equals = std::min(item.find('='), item.size());
    const auto option = std::find_if(options.begin(), options.end(), [&](const ChoiceOption& o) {
      return o.name == item.substr(0, equals);
    });
    const std::string_view value = item.substr(std::min(equals + 1, item.size()));
    const auto chosen = option == options.end()
                            ? std::vector<std::string_view>::const_iterator()
                            : std::find(option->values.begin(), option->values.end(), value);
    if (option == options.end() || chosen == option->values.end()) {
      throw std::invalid_argument(
          fmt::format("formulation option \"{}\": expected {}", item, fmt::join(known, " or ")));
    }
    option->set(static_cast<int>(chosen - option->values.begin()));
  }
}

}  // namespace perp
