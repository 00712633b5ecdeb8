#include <perp/bench/studies/table.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <perp/bench/report/summary.hpp>
#include <perp/bench/studies/judge.hpp>
#include <stdexcept>

namespace perp {

namespace {

constexpr const char* kNoEntry = "–";

using Records = std::vector<const Record*>;

double median_of(const Records& records, const std::function<double(const Record&)>& value) {
  std::vector<double> values;
  for (const Record* r : records) {
    const double v = value(*r);
    if (std::isfinite(v)) values.push_back(v);
  }
  return quantile(std::move(values), 0.5);
}

// "96" or "96–192".
std::string span_of(const Records& records, int Record::*value) {
  int low = records.front()->*value, high = low;
  for (const Record* r : records) {
    low = std::min(low, r->*value);
    high = std::max(high, r->*value);
  }
  return low == high ? fmt::format("{}", low) : fmt::format("{}–{}", low, high);
}

double count_of(const Records& records, const std::function<bool(const Record&)>& which) {
  return static_cast<double>(
      std::count_if(records.begin(), records.end(), [&](const Record* r) { return which(*r); }));
}

// A statistic of the records of a cell: its value, and its format if the cell gives none.
struct Statistic {
  double value;
  const char* format;
};

std::optional<Statistic> statistic(const std::string& name, const Records& all) {
  Records solved;
  std::copy_if(all.begin(), all.end(), std::back_inserter(solved),
               [](const Record* r) { return r->outcome == "solved"; });
  const auto outcome = [&](const char* what) {
    return count_of(all, [&](const Record& r) { return r.outcome == what; });
  };
  if (name == "all") return Statistic{static_cast<double>(all.size()), ".0f"};
  if (name == "taken")
    return Statistic{static_cast<double>(all.size()) - outcome("unsupported"), ".0f"};
  if (name == "solved") return Statistic{static_cast<double>(solved.size()), ".0f"};
  if (name == "wrong" || name == "unsupported") return Statistic{outcome(name.c_str()), ".0f"};
  if (name == "proven") return Statistic{count_of(all, is_proven), ".0f"};
  if (name == "right") return Statistic{count_of(all, is_right), ".0f"};
  if (name == "vacuous")
    return Statistic{count_of(solved, [](const Record& r) { return r.vacuous; }), ".0f"};
  const auto median = [&](double Record::*value) {
    return median_of(solved, [&](const Record& r) { return r.*value; });
  };
  if (name == "time") return Statistic{median(&Record::total), "time"};
  if (name == "sum") {
    if (solved.empty()) return Statistic{std::numeric_limits<double>::quiet_NaN(), "time"};
    double sum = 0.0;
    for (const Record* r : solved) sum += std::isfinite(r->total) ? r->total : 0.0;
    return Statistic{sum, "time"};
  }
  if (name == "setup") return Statistic{median(&Record::setup), "time"};
  if (name == "solve") return Statistic{median(&Record::solve), "time"};
  if (name == "time_llt")
    return Statistic{median_of(solved, [](const Record& r) { return r.solve / r.llt; }), ".2g"};
  if (name == "iterations")
    return Statistic{median_of(solved, [](const Record& r) { return r.iterations; }), ".0f"};
  if (name == "residual" || name == "most_iterations" || name == "longest" || name == "memory") {
    double most = std::nan("");
    for (const Record* r : solved) {
      most = std::fmax(most, name == "residual"          ? r->natural
                             : name == "most_iterations" ? r->iterations
                             : name == "memory"          ? r->peak_memory_mb
                                                         : r->total);
    }
    return Statistic{most, name == "residual" ? ".1e" : name == "longest" ? "time" : ".0f"};
  }
  if (name.starts_with("stat.")) {
    const std::string key = name.substr(5);
    return Statistic{median_of(solved,
                               [&](const Record& r) {
                                 const auto it = r.statistics.find(key);
                                 return it == r.statistics.end() ? std::nan("") : it->second;
                               }),
                     ".0f"};
  }
  return std::nullopt;
}

std::string cell_text(const RecordColumn& column, const Records& records) {
  if (records.empty()) return "";
  if (count_of(records, [](const Record& r) { return r.outcome == "unsupported"; }) ==
      static_cast<double>(records.size()))
    return "refused";
  return filled(column.cell, [&](const std::string& name, const std::string& format) {
    if (name == "n") return span_of(records, &Record::n);
    if (name == "contacts") return span_of(records, &Record::contacts);
    if (name == "size") return span_of(records, &Record::size);
    const std::optional<Statistic> found = statistic(name, records);
    if (!found) throw std::invalid_argument(fmt::format("\"{}\" is not a statistic", name));
    if (!std::isfinite(found->value)) return std::string(kNoEntry);
    return number_text(found->value, format.empty() ? found->format : format);
  });
}

std::string key_of(const Record& r, const std::string& by) {
  if (by == "problems") return group_of(r);
  if (by == "family") return r.family;
  if (by == "suite") return r.suite;
  if (by == "instance") return r.instance;
  if (by == "solver") return fmt::format("`{}`", r.solver);
  if (by == "label") return r.label.empty() ? "default" : fmt::format("`{}`", r.label);
  if (by == "start") return r.mode;
  const int value = by == "size" ? r.size : by == "contacts" ? r.contacts : r.n;
  return value == 0 ? kNoEntry : fmt::format("{}", value);
}

bool belongs(const Record& r, const RecordColumn& c) {
  return (c.solver.empty() || r.solver == c.solver) && (c.any_label || r.label == c.label) &&
         (c.suite.empty() || r.suite == c.suite) && (c.family.empty() || r.family == c.family) &&
         (c.kind.empty() || r.kind == c.kind) &&
         (c.problems.empty() || group_of(r).find(c.problems) != std::string::npos) &&
         (c.size == 0 || r.size == c.size) && counts(c.where, names_of(r));
}

StudyTable of_records(const TableRule& rule, const Evidence& evidence) {
  StudyTable table{rule.name, rule.title, rule.caption, rule.by, {}, ""};
  for (const RecordColumn& column : rule.columns) table.head.push_back(column.head);
  std::vector<Record> records;
  try {
    for (const std::string& run : rule.runs) {
      for (Record& r : evidence.records(run)) {
        const bool meant = counts(rule.where, names_of(r)) &&
                           std::any_of(rule.columns.begin(), rule.columns.end(),
                                       [&](const RecordColumn& c) { return belongs(r, c); });
        if (meant) records.push_back(std::move(r));
      }
    }
  } catch (const MissingEvidence& error) {
    table.missing = error.what();
    return table;
  }
  // Solvers and labels in the order of the runs, everything else sorted by name.
  std::vector<std::vector<std::string>> keys, order;
  std::map<std::vector<std::string>, Records> by_key;
  std::map<std::string, std::size_t> seen;
  for (const Record& r : records) {
    std::vector<std::string> key, sort;
    for (const std::string& by : rule.by) {
      key.push_back(key_of(r, by));
      const bool ranked = by == "solver" || by == "label";
      sort.push_back(ranked
                         ? fmt::format("{:06}", seen.emplace(key.back(), seen.size()).first->second)
                         : sorted_name(key.back()));
    }
    Records& list = by_key[key];
    if (list.empty()) {
      keys.push_back(key);
      order.push_back(sort);
    }
    list.push_back(&r);
  }
  std::vector<std::size_t> rank(keys.size());
  for (std::size_t k = 0; k < rank.size(); ++k) rank[k] = k;
  std::stable_sort(rank.begin(), rank.end(),
                   [&](std::size_t a, std::size_t b) { return order[a] < order[b]; });
  for (const std::size_t k : rank) {
    std::vector<std::string> row = keys[k];
    for (const RecordColumn& column : rule.columns) {
      Records mine;
      for (const Record* r : by_key[keys[k]]) {
        if (belongs(*r, column)) mine.push_back(r);
      }
      row.push_back(cell_text(column, mine));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

StudyTable of_values(const TableRule& rule, const Evidence& evidence) {
  StudyTable table{rule.name, rule.title, rule.caption, rule.head, {}, ""};
  for (const ValueRow& row : rule.rows) {
    std::map<std::string, double> known;
    for (const ClaimValue& value : row.values) {
      try {
        known[value.name] = value_of(value, known, evidence);
      } catch (const std::exception& error) {  // no evidence, or an expression with a missing value
        if (table.missing.empty()) table.missing = fmt::format("{}: {}", value.name, error.what());
      }
    }
    std::vector<std::string> cells;
    for (const std::string& cell : row.cells) {
      cells.push_back(filled(cell, [&](const std::string& name, const std::string& format) {
        const auto it = known.find(name);
        if (it == known.end() || !std::isfinite(it->second)) return std::string(kNoEntry);
        return number_text(it->second, format);
      }));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace

StudyTable make_table(const TableRule& rule, const Evidence& evidence) {
  return rule.runs.empty() ? of_values(rule, evidence) : of_records(rule, evidence);
}

}  // namespace perp
