#include <perp/bench/studies/judge.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <perp/bench/report/csv.hpp>
#include <perp/bench/report/summary.hpp>
#include <perp/problems/json/json.hpp>
#include <perp/problems/scenes/number_expression.hpp>
#include <set>

namespace perp {

using Values = std::map<std::string, double>;

bool counts(const std::string& where, const Values& names) {
  if (where.empty()) return true;
  try {
    return evaluate_expression(where, names) != 0.0;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

Values names_of(const Record& r) {
  const bool killed =
      r.outcome == "timed_out" || r.outcome == "crashed" || r.outcome == "out_of_memory";
  const bool unsupported = r.outcome == "unsupported";
  Values names{{"n", r.n},
               {"contacts", r.contacts},
               {"size", r.size},
               {"position", r.position},
               {"tolerance", r.tolerance},
               {"solved", r.outcome == "solved"},
               {"wrong", r.outcome == "wrong"},
               {"unsupported", unsupported},
               {"proven", is_proven(r)},
               {"killed", killed}};
  if (std::isfinite(r.natural)) names["residual"] = r.natural;
  if (!unsupported && !killed) {  // a solver that refuses a problem or dies of it is not fast
    names.insert({{"iterations", r.iterations},
                  {"seconds", r.total},
                  {"setup", r.setup},
                  {"solve", r.solve}});
  }
  return names;
}

const std::set<std::string>& names_about_records() {
  static const std::set<std::string> names = [] {
    Record whole;
    whole.outcome = "solved";
    whole.natural = 0.0;
    std::set<std::string> all;
    for (const auto& [name, value] : names_of(whole)) all.insert(name);
    return all;
  }();
  return names;
}

namespace {

constexpr double kInCommon = 0.9;  // share of the times, and of the time, that both simulations
                                   // must have

bool depends_on_order(Reduce how) { return how >= Reduce::kFirst; }

// What a value looked for, if nothing fits.
std::string nothing_fits(const ClaimValue& v, const Evidence& evidence) {
  std::vector<std::string> parts;
  const auto add = [&](const char* what, const std::string& value) {
    if (!value.empty()) parts.push_back(fmt::format("{} {}", what, value));
  };
  add("solver", v.solver);
  if (!v.any_label) add("label", v.label);
  add("kinds", fmt::format("{}", fmt::join(v.kinds, "/")));
  add("family", v.family);
  add("sequence", v.sequence);
  add("body", v.body);
  add("condition", v.where);
  const std::string with = parts.empty() ? "" : fmt::format(" with {}", fmt::join(parts, ", "));
  switch (v.from) {
    case ClaimValue::From::kRecords:
      return fmt::format("the run {} has no record{}{}", v.of, with,
                         evidence.study().quick ? "; --quick leaves out entries of tier full" : "");
    case ClaimValue::From::kRun:
      return fmt::format("no simulation {} fits{}", v.of, with);
    case ClaimValue::From::kTable:
      return fmt::format("{}.csv of {} has no row{}", v.table, v.of, with);
    default:
      return fmt::format("{} and {} have no rows{}", v.of, v.other, with);
  }
}

double reduced(const ClaimValue& from, const Evidence& evidence, const std::vector<double>& v,
               Reduce how) {
  if (how == Reduce::kCount) return static_cast<double>(v.size());
  if (how == Reduce::kSum) return std::accumulate(v.begin(), v.end(), 0.0);
  if (v.empty()) throw MissingEvidence(nothing_fits(from, evidence));
  switch (how) {
    case Reduce::kMax:
      return *std::max_element(v.begin(), v.end());
    case Reduce::kMin:
      return *std::min_element(v.begin(), v.end());
    case Reduce::kMean:
      return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
    case Reduce::kMedian:
      return quantile(v, 0.5);
    case Reduce::kFirst:
      return v.front();
    case Reduce::kChange:
      return v.back() - v.front();
    case Reduce::kTurn: {
      double turned = 0.0;
      for (std::size_t k = 1; k < v.size(); ++k)
        turned += std::remainder(v[k] - v[k - 1], 2 * std::numbers::pi);
      return turned;
    }
    case Reduce::kRise: {
      double rise = 0.0;
      for (std::size_t k = 1; k < v.size(); ++k) rise = std::max(rise, v[k] - v[k - 1]);
      return rise;
    }
    case Reduce::kRoughness: {
      double rough = 0.0;
      for (std::size_t k = 2; k < v.size(); ++k) rough += std::abs(v[k] - 2 * v[k - 1] + v[k - 2]);
      return rough;
    }
    default:
      return v.back();
  }
}

// The value of an expression for a record. @throws MissingEvidence if the record has no such number
double value_in(const Record& r, const std::string& expression) {
  const Values names = names_of(r);
  for (const std::string& name : names_in_expression(expression)) {
    if (!names.contains(name)) {
      throw MissingEvidence(
          fmt::format("{} on {} has no {}: {}", r.solver, r.instance, name, r.outcome));
    }
  }
  return evaluate_expression(expression, names);
}

std::vector<double> of_records(const ClaimValue& v, const Evidence& evidence) {
  std::vector<double> values;
  bool any = false;  // a count of none says nothing if there was nothing to count
  for (const Record& r : evidence.records(v.of)) {
    const bool meant =
        (v.solver.empty() || r.solver == v.solver) && (v.any_label || r.label == v.label) &&
        r.sequence.find(v.sequence) != std::string::npos &&
        (v.family.empty() || r.family == v.family) &&
        (v.kinds.empty() || std::find(v.kinds.begin(), v.kinds.end(), r.kind) != v.kinds.end());
    any |= meant;
    if (!meant || !counts(v.where, names_of(r))) continue;
    values.push_back(value_in(r, v.value));
  }
  if (!any || (values.empty() && v.reduce == Reduce::kSum))
    throw MissingEvidence(nothing_fits(v, evidence));
  return values;
}

std::vector<double> of_runs(const ClaimValue& v, const Evidence& evidence) {
  std::vector<double> values;
  for (const std::string& simulation : evidence.simulations(v.of)) {
    const Values names = evidence.summary(simulation);
    for (const std::string& name : names_in_expression(v.where)) {
      if (!names.contains(name))
        throw MissingEvidence(fmt::format("the simulation {} has no number {}", simulation, name));
    }
    if (counts(v.where, names)) values.push_back(evaluate_expression(v.value, names));
  }
  return values;
}

// Columns that the expressions name, and those with the names of bodies if a body is given.
std::vector<std::string> columns_of(const ClaimValue& v) {
  std::set<std::string> names = names_in_expression(v.value);
  names.merge(names_in_expression(v.where));
  std::vector<std::string> columns{"step"};
  if (!v.body.empty()) {
    if (v.table == "contacts") {
      columns.insert(columns.end(), {"body_a", "body_b"});
    } else {
      columns.emplace_back("body");
    }
  }
  for (const std::string& name : names) {
    if (name != "step") columns.push_back(name);
  }
  return columns;
}

std::vector<double> rows_of_table(const ClaimValue& v, const std::string& path) {
  const std::vector<std::string> columns = columns_of(v);
  const std::set<std::string> needed = names_in_expression(v.value);
  std::vector<double> values;
  double last_step = std::numeric_limits<double>::quiet_NaN();
  Values names;
  read_csv(path, columns, [&](std::span<const std::string_view> row) {
    names.clear();
    bool meant = v.body.empty();
    for (std::size_t k = 0; k < columns.size(); ++k) {
      double number = 0.0;
      if (columns[k].starts_with("body")) {
        meant |= row[k] == v.body;
      } else if (read_number(row[k], number)) {
        names[columns[k]] = number;
      }
    }
    if (!meant) return true;
    for (const std::string& name : needed) {
      if (!names.contains(name)) return true;  // an empty field: the row does not count
    }
    if (!counts(v.where, names)) return true;
    const double value = evaluate_expression(v.value, names);
    if (v.by_step && !values.empty() && names["step"] == last_step) {
      values.back() = value;
    } else {
      values.push_back(value);
    }
    last_step = names["step"];
    return true;
  });
  return values;
}

double of_tables(const ClaimValue& v, const Evidence& evidence) {
  std::vector<double> values;
  for (const std::string& simulation : evidence.simulations(v.of)) {
    const std::vector<double> rows = rows_of_table(v, evidence.table(simulation, v.table));
    if (depends_on_order(v.reduce)) {
      values.push_back(reduced(v, evidence, rows, v.reduce));
    } else {
      values.insert(values.end(), rows.begin(), rows.end());
    }
  }
  return reduced(v, evidence, values, depends_on_order(v.reduce) ? Reduce::kMax : v.reduce);
}

// Rows by body or joint row and by time, in units of 1e-9 s.
using RowsByPlace = std::map<std::pair<std::string, long long>, std::vector<double>>;

RowsByPlace rows_of(const ClaimValue& v, const std::string& path) {
  const std::string of = v.table == "joints" ? "row" : v.table == "trajectory" ? "body" : "stage";
  std::vector<std::string> columns{"t", of};
  columns.insert(columns.end(), v.columns.begin(), v.columns.end());
  RowsByPlace rows;
  read_csv(path, columns, [&](std::span<const std::string_view> row) {
    if (!v.body.empty() && row[1] != v.body) return true;
    double t = 0.0;
    if (!read_number(row[0], t)) return false;
    std::vector<double> numbers(v.columns.size());
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      if (!read_number(row[k + 2], numbers[k])) return false;
    }
    rows[{std::string(row[1]), std::llround(t * 1e9)}] = numbers;
    return true;
  });
  return rows;
}

// Time of the last row, s.
double end_of(const RowsByPlace& rows) {
  long long end = 0;
  for (const auto& [place, numbers] : rows) end = std::max(end, place.second);
  return 1e-9 * static_cast<double>(end);
}

// One simulation that ended in a failed step is near any other one for as long as it ran. That
// says nothing of their distance later.
void expect_equal_ends(const ClaimValue& v, const RowsByPlace (&rows)[2]) {
  const double ends[2] = {end_of(rows[0]), end_of(rows[1])};
  if (std::min(ends[0], ends[1]) < kInCommon * std::max(ends[0], ends[1])) {
    throw MissingEvidence(
        fmt::format("{} ends at {:.4g} s, {} at {:.4g} s", v.of, ends[0], v.other, ends[1]));
  }
}

// Distances at the times that both simulations have. One that makes steps in halves has more of
// them, but most of the times of the one with fewer rows must be among the other's.
std::vector<double> distances(const ClaimValue& v, const Evidence& evidence) {
  RowsByPlace rows[2];
  int k = 0;
  for (const std::string& simulation : {v.of, v.other}) {
    evidence.simulations(simulation);
    rows[k++] = rows_of(v, evidence.table(simulation, v.table));
  }
  const RowsByPlace& few = rows[0].size() <= rows[1].size() ? rows[0] : rows[1];
  const RowsByPlace& many = &few == &rows[0] ? rows[1] : rows[0];
  std::vector<std::pair<long long, double>> by_time;
  for (const auto& [key, a] : few) {
    const auto it = many.find(key);
    if (it == many.end()) continue;
    double square = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i)
      square += (a[i] - it->second[i]) * (a[i] - it->second[i]);
    by_time.emplace_back(key.second, std::sqrt(square));
  }
  if (static_cast<double>(by_time.size()) < kInCommon * static_cast<double>(few.size()) ||
      by_time.empty()) {
    throw MissingEvidence(fmt::format("{} and {} have {} of {} times in common", v.of, v.other,
                                      by_time.size(), few.size()));
  }
  expect_equal_ends(v, rows);
  std::sort(by_time.begin(), by_time.end());
  std::vector<double> values;
  for (const auto& [time, distance] : by_time) values.push_back(distance);
  return values;
}

}  // namespace

double value_of(const ClaimValue& v, const Values& known, const Evidence& evidence) {
  switch (v.from) {
    case ClaimValue::From::kRecords:
      return reduced(v, evidence, of_records(v, evidence), v.reduce);
    case ClaimValue::From::kRun:
      return reduced(v, evidence, of_runs(v, evidence), v.reduce);
    case ClaimValue::From::kTable:
      return of_tables(v, evidence);
    case ClaimValue::From::kDistance:
      return reduced(v, evidence, distances(v, evidence), v.reduce);
    default:
      return evaluate_expression(v.value, known);
  }
}

Claim judge(const ClaimRule& rule, const Evidence& evidence) {
  Claim claim{rule.claim, rule.experiment, "", "not tested"};
  Values known;
  std::string at;
  try {
    for (const ClaimValue& value : rule.values) {
      at = value.name;
      known[value.name] = value_of(value, known, evidence);
    }
    at.clear();
    claim.measured = with_values(rule.measured, known);
    const bool holds = evaluate_expression(rule.holds, known) != 0.0;
    const bool in_part = !rule.in_part.empty() && evaluate_expression(rule.in_part, known) != 0.0;
    claim.verdict = holds ? "holds" : in_part ? "holds in part" : "does not hold";
  } catch (const MissingEvidence& error) {
    claim.measured = fmt::format("{}{}{}", at, at.empty() ? "" : ": ", error.what());
  } catch (const InputError& error) {
    claim.measured = fmt::format("{}{}{}", at, at.empty() ? "" : ": ", error.what());
  } catch (const std::invalid_argument& error) {
    claim.measured = fmt::format("{}{}{}", at, at.empty() ? "" : ": ", error.what());
  }
  return claim;
}

ClaimTable judge(const ClaimTableRule& rules, const Evidence& evidence) {
  ClaimTable table{rules.title, rules.caption, {}};
  for (const ClaimRule& rule : rules.claims) table.claims.push_back(judge(rule, evidence));
  return table;
}

}  // namespace perp
