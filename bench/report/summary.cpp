#include <perp/bench/report/summary.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <perp/problems/families/family.hpp>
#include <set>
#include <tuple>

namespace perp {

namespace {

double statistic(const Record& r, const char* name) {
  const auto it = r.statistics.find(name);
  return it == r.statistics.end() ? std::numeric_limits<double>::quiet_NaN() : it->second;
}

std::string number(double value, const char* format) {
  return std::isnan(value) ? "-" : fmt::format(fmt::runtime(format), value);
}

KnownOutcome known_outcome(const Record& r) {
  for (const Family& f : families()) {
    if (f.name == r.family) return f.outcome;
  }
  return KnownOutcome::kSolvable;
}

}  // namespace

std::string group_of(const Record& r) {
  if (!r.family.empty()) return r.family;
  if (!r.sequence.empty()) return r.sequence;
  return r.kind.empty() ? "files" : r.kind + " files";
}

std::string sorted_name(const std::string& name) {
  constexpr std::size_t kDigits = 12;
  std::string padded, digits;
  const auto flush = [&] {
    if (!digits.empty() && digits.size() < kDigits) padded.append(kDigits - digits.size(), '0');
    padded += digits;
    digits.clear();
  };
  for (const char c : name) {
    if (c >= '0' && c <= '9') {
      digits += c;
      continue;
    }
    flush();
    padded += c;
  }
  flush();
  return padded;
}

std::string solver_label(const Record& r) {
  const std::string name = r.label.empty() ? r.solver : fmt::format("{} ({})", r.solver, r.label);
  return r.mode == "cold" ? name : fmt::format("{}, {}", name, r.mode);
}

std::vector<Record> main_records(const std::vector<Record>& records) {
  std::set<std::string> with_cold;
  for (const Record& r : records) {
    if (r.mode == "cold") with_cold.insert(r.suite);
  }
  std::vector<Record> chosen;
  std::copy_if(records.begin(), records.end(), std::back_inserter(chosen),
               [&](const Record& r) { return r.mode == "cold" || !with_cold.contains(r.suite); });
  return chosen;
}

bool has_known_end(const Record& r) {
  const KnownOutcome known = known_outcome(r);
  return known == KnownOutcome::kInfeasible || known == KnownOutcome::kNoSolution;
}

bool ended_as_expected(const Record& r) {
  if (r.outcome == "solved") return true;
  const KnownOutcome known = known_outcome(r);
  if (known == KnownOutcome::kInfeasible) return r.outcome == "infeasible";
  if (known == KnownOutcome::kNoSolution) return r.outcome == "ray" || r.outcome == "stalled";
  return false;
}

double quantile(std::vector<double> values, double q) {
  std::erase_if(values, [](double v) { return std::isnan(v); });
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const double at = q * static_cast<double>(values.size() - 1);
  const std::size_t low = static_cast<std::size_t>(at), high = std::min(low + 1, values.size() - 1);
  return values[low] + (at - static_cast<double>(low)) * (values[high] - values[low]);
}

std::vector<GroupSummary> summarise(const std::vector<Record>& records) {
  std::map<std::tuple<std::string, std::string, int, std::string>, std::vector<const Record*>>
      groups;
  for (const Record& r : records)
    groups[{r.suite, sorted_name(group_of(r)), r.size, solver_label(r)}].push_back(&r);
  std::vector<GroupSummary> result;
  for (const auto& [key, members] : groups) {
    GroupSummary g;
    g.suite = members.front()->suite;
    g.group = group_of(*members.front());
    g.size = members.front()->size;
    g.solver = solver_label(*members.front());
    g.n_min = std::numeric_limits<int>::max();
    std::vector<double> times, iterations, factorisations, ties;
    for (const Record* r : members) {
      ++g.runs;
      g.solved += r->outcome == "solved";
      g.as_expected += ended_as_expected(*r);
      g.wrong += r->outcome == "wrong";
      g.unsupported += r->outcome == "unsupported";
      if (r->n > 0) g.n_min = std::min(g.n_min, r->n);
      g.n_max = std::max(g.n_max, r->n);
      if (r->outcome == "solved") g.worst_residual = std::max(g.worst_residual, r->natural);
      times.push_back(1e3 * r->solve);
      iterations.push_back(r->iterations);
      factorisations.push_back(statistic(*r, "factorisations"));
      ties.push_back(statistic(*r, "ties"));
    }
    g.n_min = std::min(g.n_min, g.n_max);
    g.median_ms = quantile(times, 0.5);
    g.low_ms = quantile(times, 0.1);
    g.high_ms = quantile(times, 0.9);
    g.median_iterations = quantile(iterations, 0.5);
    g.median_factorisations = quantile(factorisations, 0.5);
    g.median_ties = quantile(ties, 0.5);
    result.push_back(g);
  }
  return result;
}

std::vector<FailureSummary> failures(const std::vector<Record>& records) {
  std::map<std::tuple<std::string, std::string, std::string, std::string>, FailureSummary> causes;
  for (const Record& r : records) {
    if (ended_as_expected(r)) continue;
    FailureSummary& f = causes[{solver_label(r), r.outcome, group_of(r), r.message}];
    f.solver = solver_label(r);
    f.outcome = r.outcome;
    f.group = group_of(r);
    f.message = r.message;
    ++f.count;
    if (f.examples.size() < 3) f.examples.push_back(r.instance);
  }
  std::vector<FailureSummary> result;
  for (auto& [key, failure] : causes) result.push_back(std::move(failure));
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& a, const auto& b) { return a.count > b.count; });
  return result;
}

std::string summary_text(const std::vector<Record>& records) {
  std::string out = fmt::format(
      "{:<16} {:<22} {:>5} {:>10} {:<10} {:>9} {:>9} {:>5} {:>10} {:>10} {:>9} {:>7} {:>6}\n",
      "suite", "problems", "size", "n", "solver", "solved", "expected", "wrong", "median ms",
      "90% ms", "residual", "pivots", "factor");
  for (const GroupSummary& g : summarise(records)) {
    out += fmt::format(
        "{:<16} {:<22} {:>5} {:>10} {:<10} {:>9} {:>9} {:>5} {:>10} {:>10} {:>9} {:>7} {:>6}\n",
        g.suite, g.group, g.size > 0 ? fmt::format("{}", g.size) : "",
        g.n_min == g.n_max ? fmt::format("{}", g.n_max) : fmt::format("{}-{}", g.n_min, g.n_max),
        g.solver, fmt::format("{}/{}", g.solved, g.runs),
        fmt::format("{}/{}", g.as_expected, g.runs), g.wrong, number(g.median_ms, "{:.3f}"),
        number(g.high_ms, "{:.3f}"), g.solved > 0 ? fmt::format("{:.1e}", g.worst_residual) : "-",
        number(g.median_iterations, "{:.0f}"), number(g.median_factorisations, "{:.0f}"));
  }
  return out;
}

}  // namespace perp
