#include <perp/bench/report/profiles.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <perp/bench/report/summary.hpp>
#include <set>
#include <tuple>

namespace perp {

namespace {

constexpr double kLeastTime = 1e-6;       // s: below it the clock is measured
constexpr double kLeastResidual = 1e-18;  // stands for an exact zero on a logarithmic axis

using Runs = std::map<std::string, const Record*>;  // of one problem, by solver

// The problems that every solver was given. Files may share a name, members of a family too where
// their parameters differ: the hash tells them apart.
std::vector<Runs> common_problems(const std::vector<Record>& records,
                                  const std::vector<std::string>& names) {
  std::map<std::tuple<std::string, std::string, std::string>, Runs> problems;
  for (std::size_t k = 0; k < records.size(); ++k) {
    const Record& r = records[k];
    if (has_known_end(r)) continue;
    problems[{r.suite, r.instance, r.instance_hash}][names[k]] = &r;
  }
  const std::set<std::string> solvers(names.begin(), names.end());
  std::vector<Runs> common;
  for (auto& [key, runs] : problems) {
    if (runs.size() == solvers.size()) common.push_back(std::move(runs));
  }
  return common;
}

// Values that never count are infinite.
ProfileSet profiles_of(const std::map<std::string, std::vector<double>>& values, int problems) {
  ProfileSet set;
  set.problems = problems;
  for (const auto& [solver, unsorted] : values) {
    std::vector<double> sorted = unsorted;
    std::sort(sorted.begin(), sorted.end());
    Profile profile{solver, {}, {}};
    for (std::size_t k = 0; k < sorted.size() && std::isfinite(sorted[k]); ++k) {
      const double fraction = static_cast<double>(k + 1) / problems;
      if (!profile.x.empty() && profile.x.back() == sorted[k]) {
        profile.y.back() = fraction;
      } else {
        profile.x.push_back(sorted[k]);
        profile.y.push_back(fraction);
      }
    }
    if (!profile.x.empty()) set.largest = std::max(set.largest, profile.x.back());
    set.profiles.push_back(std::move(profile));
  }
  return set;
}

}  // namespace

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

ProfileSet performance_profiles(const std::vector<Record>& records, TimeOf which) {
  const std::vector<std::string> names = solver_names(records);
  const std::vector<Runs> problems = common_problems(records, names);
  std::map<std::string, std::vector<double>> ratios;
  for (const Runs& runs : problems) {
    const auto time = [which](const Record* r) {
      const double seconds = which == TimeOf::kTotal ? r->total : r->solve;
      const bool counts = r->outcome == "solved" && std::isfinite(seconds);
      return counts ? std::max(seconds, kLeastTime) : std::numeric_limits<double>::infinity();
    };
    double best = std::numeric_limits<double>::infinity();
    for (const auto& [solver, r] : runs) best = std::min(best, time(r));
    for (const auto& [solver, r] : runs) {
      const double t = time(r);
      ratios[solver].push_back(std::isfinite(t) ? t / best : t);  // [DolanMore2002]
    }
  }
  ProfileSet set = profiles_of(ratios, static_cast<int>(problems.size()));
  for (Profile& p : set.profiles) {
    if (p.x.empty() || p.x.front() > 1.0) {
      p.x.insert(p.x.begin(), 1.0);
      p.y.insert(p.y.begin(), 0.0);
    }
  }
  return set;
}

ProfileSet accuracy_profiles(const std::vector<Record>& records) {
  const std::vector<std::string> names = solver_names(records);
  const std::vector<Runs> problems = common_problems(records, names);
  std::map<std::string, std::vector<double>> residuals;
  for (const Runs& runs : problems) {
    for (const auto& [solver, r] : runs) {
      residuals[solver].push_back(std::isfinite(r->natural)
                                      ? std::max(r->natural, kLeastResidual)
                                      : std::numeric_limits<double>::infinity());
    }
  }
  return profiles_of(residuals, static_cast<int>(problems.size()));
}

std::vector<ComparisonRow> comparison(const std::vector<Record>& records) {
  const std::vector<std::string> names = solver_names(records);
  std::map<std::tuple<std::string, std::string, int>, ComparisonRow> rows;
  std::map<ComparisonRow::Cell*, std::pair<std::vector<double>, std::vector<double>>> times;
  for (std::size_t k = 0; k < records.size(); ++k) {
    const Record& r = records[k];
    ComparisonRow& row = rows[{r.suite, sorted_name(group_of(r)), r.size}];
    row.suite = r.suite;
    row.group = group_of(r);
    row.size = r.size;
    if (r.n > 0) {
      row.n_min = std::min(row.n_min, r.n);
      row.n_max = std::max(row.n_max, r.n);
    }
    ComparisonRow::Cell& cell = row.cells[names[k]];
    ++cell.runs;
    cell.unsupported += r.outcome == "unsupported";
    cell.gave_up += gave_up(r);
    auto& [totals, solves] = times[&cell];
    if (!is_right(r)) continue;
    ++cell.right;
    totals.push_back(1e3 * r.total);
    solves.push_back(1e3 * r.solve);
  }
  for (auto& [cell, lists] : times) {
    cell->median_ms = quantile(lists.first, 0.5);
    cell->solve_median_ms = quantile(lists.second, 0.5);
  }
  std::vector<ComparisonRow> result;
  for (auto& [key, row] : rows) result.push_back(std::move(row));
  return result;
}

}  // namespace perp
