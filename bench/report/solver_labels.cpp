#include <perp/bench/report/solver_labels.hpp>

#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace perp {

std::vector<std::string> solver_names(const std::vector<Record>& records) {
  using Label = std::pair<std::string, std::string>;
  std::map<Label, std::set<std::string>> settings;
  std::map<std::string, std::set<double>> tolerances, times, memories;
  std::set<Label> own;
  std::set<std::tuple<std::string, std::string, std::string>> unused;
  for (const Record& r : records) {
    settings[{r.solver, r.label}].insert(r.settings);
    tolerances[r.suite].insert(r.tolerance);
    times[r.suite].insert(r.time_limit);
    memories[r.suite].insert(r.memory_limit);
    if (r.own_times) own.emplace(r.solver, r.label);
    if (!r.uses_start) unused.emplace(r.solver, r.label, r.mode);
  }
  std::vector<std::string> names;
  for (const Record& r : records) {
    std::string name = r.label.empty() ? r.solver : fmt::format("{} ({})", r.solver, r.label);
    if (r.mode != "zero") name += ", " + r.mode;
    if (unused.contains({r.solver, r.label, r.mode})) name += " (unused)";
    if (settings[{r.solver, r.label}].size() > 1 && r.settings != "{}") {
      std::string text = r.settings;
      std::erase_if(text, [](char c) { return c == '{' || c == '}' || c == '"'; });
      name += " " + text;
    }
    if (tolerances[r.suite].size() > 1) name += fmt::format(" to {:g}", r.tolerance);
    if (times[r.suite].size() > 1) name += fmt::format(" in {:g} s", r.time_limit);
    if (memories[r.suite].size() > 1) name += fmt::format(" in {:g} MB", r.memory_limit);
    if (own.contains({r.solver, r.label})) name += kOwnTimesMark;
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace perp
