#include <perp/solvers/method_settings.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <stdexcept>

namespace perp {

namespace {

std::ptrdiff_t shared_beginning(std::string_view a, std::string_view b) {
  return std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
}

// No method has the setting: names a similar one.
[[noreturn]] void refuse(const std::vector<std::string>& methods, const std::string& key,
                         const MakeSolver& make) {
  if (methods.size() == 1) set_setting(*make(methods.front()), key, "");  // lists what it has
  std::string nearest, has_nearest;
  std::vector<std::string> names;
  for (const std::string& method : methods) {
    const std::unique_ptr<Solver> solver = make(method);
    names.emplace_back(solver->traits().name);
    for (const SettingText& s : list_settings(*solver)) {
      if (!nearest.empty() && shared_beginning(s.name, key) <= shared_beginning(nearest, key))
        continue;
      nearest = s.name;
      has_nearest = names.back();
    }
  }
  throw std::invalid_argument(
      fmt::format("setting \"{}\": none of {} has one of that name; {} has {} (perp list solvers "
                  "--json tells all)",
                  key, fmt::join(names, ", "), has_nearest, nearest));
}

}  // namespace

bool is_limit(std::string_view key) {
  return key == "tolerance" || key == "max_iterations" || key == "time_limit";
}

bool has_setting(Solver& solver, std::string_view key) {
  const std::vector<SettingText> settings = list_settings(solver);
  return std::any_of(settings.begin(), settings.end(),
                     [&](const SettingText& s) { return s.name == key; });
}

std::map<std::string, SettingTexts> settings_by_method(const std::vector<std::string>& methods,
                                                       const SettingTexts& settings,
                                                       const MakeSolver& make) {
  std::map<std::string, SettingTexts> by_method;
  for (const auto& [key, value] : settings) {
    bool taken = false;
    std::string fault;
    for (const std::string& method : methods) {
      const std::unique_ptr<Solver> solver = make(method);
      if (!has_setting(*solver, key)) continue;
      try {
        set_setting(*solver, key, value);
      } catch (const std::invalid_argument& error) {
        fault = error.what();
        continue;
      }
      by_method[method].emplace_back(key, value);
      taken = true;
    }
    if (!taken && !fault.empty()) throw std::invalid_argument(fault);
    if (!taken) refuse(methods, key, make);
  }
  return by_method;
}

}  // namespace perp
