#include <perp/bench/studies/table_rule.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <functional>
#include <perp/bench/studies/bindings.hpp>
#include <stdexcept>

namespace perp {

namespace {

constexpr const char* kKeys[] = {"problems", "family", "suite", "instance", "solver",
                                 "label",    "start",  "size",  "contacts", "n"};

// The names that a cell of records can use, besides "stat.NAME".
constexpr const char* kStatistics[] = {
    "all",  "taken",  "solved", "wrong",    "unsupported", "proven",   "right",           "vacuous",
    "time", "setup",  "solve",  "time_llt", "iterations",  "residual", "most_iterations", "longest",
    "sum",  "memory", "n",      "contacts", "size"};

bool is_statistic(const std::string& name) {
  return name.starts_with("stat.") ||
         std::find(std::begin(kStatistics), std::end(kStatistics), name) != std::end(kStatistics);
}

// Refuses cells with unknown names or wrong formats.
void check_cell(const Field& field, const std::string& cell,
                const std::function<bool(const std::string&)>& is_name) {
  try {
    filled(cell, [&](const std::string& name, const std::string& format) {
      if (!is_name(name))
        throw std::invalid_argument(fmt::format("\"{}\" is not a value here", name));
      return number_text(1.5, format);
    });
  } catch (const std::invalid_argument& error) {
    field.fail(error.what());
  }
}

RecordColumn read_column(const Field& field) {
  field.only(
      {"head", "cell", "solver", "label", "suite", "family", "problems", "kind", "size", "where"});
  RecordColumn c;
  c.head = field["head"].text();
  c.cell = field["cell"].text();
  const auto optional_text = [&](const char* member, std::string& to) {
    if (field.has(member)) to = field[member].text();
  };
  optional_text("solver", c.solver);
  optional_text("label", c.label);
  optional_text("suite", c.suite);
  optional_text("family", c.family);
  optional_text("problems", c.problems);
  optional_text("kind", c.kind);
  if (field.has("where")) c.where = read_record_expression(field["where"]);
  c.any_label = !field.has("label");
  if (field.has("size")) c.size = field["size"].integer(1, Field::kMaxInteger);
  check_cell(field["cell"], c.cell, is_statistic);
  return c;
}

void read_rows(const Field& field, TableRule& rule) {
  for (const Field& item : field.items()) {
    for (const Bindings& bindings : bindings_of(item)) {
      const json::Value bound = bindings.bound(item.value());
      const Field row(bound, item.file(), item.path());
      row.only({"each", "values", "cells"});
      ValueRow values{read_claim_values(row["values"]), texts_of(row["cells"])};
      if (values.cells.size() != rule.head.size())
        row["cells"].expected("as many cells as there are columns");
      for (const std::string& cell : values.cells)
        check_cell(row["cells"], cell, [&](const std::string& name) {
          return std::any_of(values.values.begin(), values.values.end(),
                             [&](const ClaimValue& v) { return v.name == name; });
        });
      rule.rows.push_back(std::move(values));
    }
  }
}

}  // namespace

TableRule read_table_rule(const Field& field) {
  TableRule rule;
  rule.name = field["name"].text();
  rule.title = field["title"].text();
  if (field.has("caption")) rule.caption = field["caption"].text();
  if (field.has("records")) {
    field.only({"name", "title", "caption", "records", "by", "where", "columns"}, true);
    rule.runs = texts_of(field["records"]);
    for (const Field& by : field["by"].items()) {
      rule.by.push_back(by.text());
      if (std::find(std::begin(kKeys), std::end(kKeys), rule.by.back()) == std::end(kKeys))
        by.expected(fmt::format("one of {}", fmt::join(kKeys, ", ")));
    }
    if (field.has("where")) rule.where = read_record_expression(field["where"]);
    for (const Field& column : field["columns"].items())
      rule.columns.push_back(read_column(column));
    if (rule.columns.empty()) field["columns"].expected("a list of at least one");
  } else {
    field.only({"name", "title", "caption", "columns", "rows"}, true);
    rule.head = texts_of(field["columns"]);
    read_rows(field["rows"], rule);
  }
  return rule;
}

}  // namespace perp
