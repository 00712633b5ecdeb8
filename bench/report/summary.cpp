#include <perp/bench/report/summary.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <perp/bench/report/solver_labels.hpp>
#include <perp/problems/families/family.hpp>
#include <perp/problems/json/text.hpp>
#include <set>
#include <tuple>

namespace perp {

namespace {

double statistic(const Record& r, const char* name) {
  const auto it = r.statistics.find(name);
  return it == r.statistics.end() ? std::numeric_limits<double>::quiet_NaN() : it->second;
}

std::string shown_number(double value, const char* format) {
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
  constexpr std::size_t kDigits = 12;  // longer numbers are not padded
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

std::vector<Record> main_records(const std::vector<Record>& records) {
  std::set<std::string> from_zero;
  for (const Record& r : records) {
    if (r.mode == "zero") from_zero.insert(r.suite);
  }
  std::vector<Record> chosen;
  std::copy_if(records.begin(), records.end(), std::back_inserter(chosen),
               [&](const Record& r) { return r.mode == "zero" || !from_zero.contains(r.suite); });
  return chosen;
}

std::vector<Record> one_each(const std::vector<Record>& records) {
  std::map<std::tuple<std::string, std::string, std::string, std::string, int, std::string,
                      std::string, std::string, std::string, double, double, double>,
           std::size_t>
      last;
  for (std::size_t k = 0; k < records.size(); ++k) {
    const Record& r = records[k];
    const auto [place, is_new] =
        last.try_emplace({r.suite, r.instance, r.instance_hash, r.sequence, r.position, r.solver,
                          r.label, r.settings, r.mode, r.tolerance, r.time_limit, r.memory_limit},
                         k);
    if (!is_new && r.written >= records[place->second].written) place->second = k;
  }
  std::vector<std::size_t> kept;
  for (const auto& [run, k] : last) kept.push_back(k);
  std::sort(kept.begin(), kept.end());
  std::vector<Record> chosen;
  for (const std::size_t k : kept) chosen.push_back(records[k]);
  return chosen;
}

bool has_known_end(const Record& r) {
  const KnownOutcome known = known_outcome(r);
  return known == KnownOutcome::kInfeasible || known == KnownOutcome::kNoSolution;
}

bool is_proven(const Record& r) {
  const bool solvable = !r.family.empty() && known_outcome(r) == KnownOutcome::kSolvable;
  const bool infeasible = r.outcome == "infeasible" && r.certificate == "farkas";
  return !solvable && (infeasible || r.certificate == "unbounded");
}

bool is_right(const Record& r) { return r.outcome == "solved" || is_proven(r); }

bool gave_up(const Record& r) {
  static const std::set<std::string> kOwnEnds = {"ray",     "stationary",      "iteration_limit",
                                                 "stalled", "numerical_error", "excluded"};
  return has_known_end(r) && !is_right(r) && r.claimed != "solved" && kOwnEnds.contains(r.outcome);
}

double quantile(std::vector<double> values, double q) {
  std::erase_if(values, [](double v) { return std::isnan(v); });
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const double at = q * static_cast<double>(values.size() - 1);
  const std::size_t low = static_cast<std::size_t>(at), high = std::min(low + 1, values.size() - 1);
  return values[low] + (at - static_cast<double>(low)) * (values[high] - values[low]);
}

namespace {

GroupSummary summary_of(const std::vector<const Record*>& members) {
  GroupSummary g;
  g.suite = members.front()->suite;
  g.group = group_of(*members.front());
  g.size = members.front()->size;
  g.n_min = std::numeric_limits<int>::max();
  std::vector<double> times, solves, iterations, factorisations, ties;
  for (const Record* r : members) {
    ++g.runs;
    g.proven += is_proven(*r);
    g.gave_up += gave_up(*r);
    g.wrong += r->outcome == "wrong";
    g.unsupported += r->outcome == "unsupported";
    if (r->n > 0) g.n_min = std::min(g.n_min, r->n);
    g.n_max = std::max(g.n_max, r->n);
    if (r->outcome != "solved") continue;
    ++g.solved;
    g.vacuous += r->vacuous;
    const double factor = r->asked > 0 ? std::round(r->tolerance / r->asked) : 1.0;
    if (factor > 1) ++g.tightened[static_cast<int>(factor)];
    g.worst_residual = std::max(g.worst_residual, r->natural);
    times.push_back(1e3 * r->total);
    solves.push_back(1e3 * r->solve);
    iterations.push_back(r->iterations);
    factorisations.push_back(statistic(*r, "factorisations"));
    ties.push_back(statistic(*r, "ties"));
  }
  g.n_min = std::min(g.n_min, g.n_max);
  g.median_ms = quantile(times, 0.5);
  g.low_ms = quantile(times, 0.1);
  g.high_ms = quantile(times, 0.9);
  g.solve_median_ms = quantile(solves, 0.5);
  g.median_iterations = quantile(iterations, 0.5);
  g.median_factorisations = quantile(factorisations, 0.5);
  g.median_ties = quantile(ties, 0.5);
  return g;
}

}  // namespace

std::vector<GroupSummary> summarise(const std::vector<Record>& records) {
  const std::vector<std::string> names = solver_names(records);
  std::map<std::tuple<std::string, std::string, int, std::string>, std::vector<const Record*>>
      groups;
  for (std::size_t k = 0; k < records.size(); ++k) {
    const Record& r = records[k];
    groups[{r.suite, sorted_name(group_of(r)), r.size, names[k]}].push_back(&r);
  }
  std::vector<GroupSummary> result;
  for (const auto& [key, members] : groups) {
    result.push_back(summary_of(members));
    result.back().solver = std::get<3>(key);
  }
  return result;
}

std::string tightened_text(const GroupSummary& g) {
  std::string text;
  for (const auto& [factor, runs] : g.tightened)
    text += fmt::format("{}{} at 1/{}", text.empty() ? "" : ", ", runs, factor);
  return text;
}

std::vector<FailureSummary> failures(const std::vector<Record>& records) {
  const std::vector<std::string> names = solver_names(records);
  std::map<std::tuple<std::string, std::string, std::string, std::string>, FailureSummary> causes;
  for (std::size_t k = 0; k < records.size(); ++k) {
    const Record& r = records[k];
    if (is_right(r) || gave_up(r)) continue;
    FailureSummary& f = causes[{names[k], r.outcome, group_of(r), r.message}];
    f.solver = names[k];
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

namespace {

// A message without the parts that differ from problem to problem: "(NAME)" and numbers.
std::string kind_of(const std::string& message) {
  std::string kind;
  int depth = 0;
  for (const char c : message) {
    depth += c == '(';
    if (depth == 0 && !std::isdigit(static_cast<unsigned char>(c))) kind += c;
    depth -= c == ')' && depth > 0;
  }
  return kind;
}

// What a solver said of its runs with one of these outcomes, by solver and reason: how often, and
// the first message.
using Reasons = std::map<std::pair<std::string, std::string>, std::pair<int, std::string>>;
Reasons reasons_of(const std::vector<Record>& records, const std::vector<std::string>& outcomes) {
  Reasons reasons;
  const std::vector<std::string> names = solver_names(records);
  for (std::size_t k = 0; k < records.size(); ++k) {
    if (std::find(outcomes.begin(), outcomes.end(), records[k].outcome) == outcomes.end()) continue;
    auto& [runs, message] = reasons[{names[k], kind_of(records[k].message)}];
    if (runs++ == 0) message = records[k].message;
  }
  return reasons;
}

// How the runs of each solver ended that solved or proved nothing, a line for each solver. What it
// refused, and problems that are known to have no solution, are not among them.
std::string ends_text(const std::vector<Record>& records) {
  struct End {
    int runs = 0;
    std::string first;
  };
  std::map<std::string, std::map<std::string, End>> solvers;
  const std::vector<std::string> names = solver_names(records);
  for (std::size_t k = 0; k < records.size(); ++k) {
    const Record& r = records[k];
    if (is_right(r) || gave_up(r) || r.outcome == "unsupported") continue;
    End& end = solvers[names[k]][r.outcome];
    if (end.runs++ == 0) end.first = r.instance;
  }
  std::string out;
  for (const auto& [solver, ends] : solvers) {
    std::vector<std::string> parts;
    for (const auto& [outcome, end] : ends)
      parts.push_back(fmt::format("{} {} ({}{})", end.runs, outcome, shown(end.first),
                                  end.runs > 1 ? ", ..." : ""));
    out += fmt::format("{} not solved: {}\n", shown(solver), fmt::join(parts, ", "));
  }
  return out;
}

// The reasons why solvers refused problems, how other runs ended, and the most frequent reason why
// a solver broke down: lines below the table.
std::string reasons_text(const std::vector<Record>& records) {
  std::string out;
  for (const auto& [what, told] : reasons_of(records, {"unsupported"}))
    out += fmt::format("{} refused {}: {}\n", shown(what.first), told.first,
                       message_line(told.second));
  out += ends_text(records);
  std::map<std::string, std::pair<int, std::string>> worst;
  for (const auto& [what, told] : reasons_of(records, {"numerical_error", "crashed"})) {
    if (!told.second.empty() && told.first > worst[what.first].first) worst[what.first] = told;
  }
  for (const auto& [solver, told] : worst) {
    if (told.first > 0)
      out +=
          fmt::format("{} failed {}: {}\n", shown(solver), told.first, message_line(told.second));
  }
  return out;
}

}  // namespace

namespace {

// A line for each suite: the solvers with the most right runs and their numbers. Of equal solvers
// the fastest comes first.
std::string suites_text(const std::vector<Record>& records) {
  constexpr std::size_t kNamed = 4;
  struct Counts {
    int right = 0, runs = 0;
    std::vector<double> times;
  };
  std::map<std::string, std::map<std::string, Counts>> suites;
  const std::vector<std::string> names = solver_names(records);
  for (std::size_t k = 0; k < records.size(); ++k) {
    const Record& r = records[k];
    if (r.outcome == "unsupported") continue;
    Counts& c = suites[r.suite][names[k]];
    ++c.runs;
    c.right += is_right(r);
    if (is_right(r)) c.times.push_back(1e3 * r.total);
  }
  std::string out;
  for (const auto& [suite, solvers] : suites) {
    std::vector<std::pair<std::tuple<double, double>, std::string>> best;
    for (const auto& [name, c] : solvers) {
      const double time = quantile(c.times, 0.5);
      best.push_back({{-1.0 * c.right, std::isnan(time) ? INFINITY : time},
                      fmt::format("{} {}/{} {} ms", shown(name), c.right, c.runs,
                                  shown_number(time, "{:.3f}"))});
    }
    std::sort(best.begin(), best.end());
    out += fmt::format("{:<22} ", shown(suite));
    for (std::size_t k = 0; k < std::min(kNamed, best.size()); ++k)
      out += fmt::format("{}{}", k > 0 ? "; " : "", best[k].second);
    if (best.size() > kNamed) out += fmt::format("; {} more", best.size() - kNamed);
    out += "\n";
  }
  return out;
}

}  // namespace

std::string summary_text(const std::vector<Record>& all) {
  const std::vector<Record> records = one_each(all);
  constexpr std::size_t kLongestTable = 60;
  const std::vector<GroupSummary> groups = summarise(records);
  if (groups.size() > kLongestTable) {
    return fmt::format(
               "Right (solved, or proven to have no solution) and median time, by suite; "
               "all {} groups are in the report:\n",
               groups.size()) +
           suites_text(records);
  }
  std::size_t suite_width = 16, problems_width = 22, solver_width = 10;
  for (const GroupSummary& g : groups) {
    suite_width = std::max(suite_width, shown(g.suite).size());
    problems_width = std::max(problems_width, shown(g.group).size());
    solver_width = std::max(solver_width, shown(g.solver).size());
  }
  const std::string line = fmt::format(
      "{{:<{}}} {{:<{}}} {{:>5}} {{:>10}} {{:<{}}} {{:>9}} {{:>7}} {{:>7}} {{:>5}} {{:>10}} "
      "{{:>10}} {{:>10}} {{:>9}} {{:>7}} {{:>6}}",
      suite_width, problems_width, solver_width);
  std::string out = fmt::format(fmt::runtime(line), "suite", "problems", "size", "n", "solver",
                                "solved", "proven", "gave up", "wrong", "median ms", "90% ms",
                                "solve ms", "residual", "steps", "factor") +
                    "\n";
  bool any_own = false;
  for (const GroupSummary& g : groups) {
    out += fmt::format(
        fmt::runtime(line), shown(g.suite), shown(g.group),
        g.size > 0 ? fmt::format("{}", g.size) : "",
        g.n_min == g.n_max ? fmt::format("{}", g.n_max) : fmt::format("{}-{}", g.n_min, g.n_max),
        shown(g.solver), fmt::format("{}/{}", g.solved, g.runs), g.proven, g.gave_up, g.wrong,
        shown_number(g.median_ms, "{:.3f}"), shown_number(g.high_ms, "{:.3f}"),
        shown_number(g.solve_median_ms, "{:.3f}"),
        g.solved > 0 ? fmt::format("{:.1e}", g.worst_residual) : "-",
        shown_number(g.median_iterations, "{:.0f}"),
        shown_number(g.median_factorisations, "{:.0f}"));
    if (!g.tightened.empty()) out += "  solved " + tightened_text(g) + " of the tolerance";
    if (g.vacuous > 0) out += fmt::format("  {} of the solved are vacuous", g.vacuous);
    out += "\n";
    any_own |= g.solver.ends_with(kOwnTimesMark);
  }
  out += reasons_text(records);
  if (any_own) out += fmt::format("{} times reported by the program itself\n", kOwnTimesMark);
  return out;
}

}  // namespace perp
