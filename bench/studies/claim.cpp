#include <perp/bench/studies/claim.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <perp/bench/studies/bindings.hpp>
#include <perp/bench/studies/judge.hpp>
#include <perp/problems/io/braces.hpp>
#include <perp/problems/scenes/number_expression.hpp>
#include <set>
#include <stdexcept>

namespace perp {

namespace {

constexpr std::pair<std::string_view, Reduce> kReductions[] = {
    {"max", Reduce::kMax},   {"min", Reduce::kMin},       {"sum", Reduce::kSum},
    {"mean", Reduce::kMean}, {"median", Reduce::kMedian}, {"first", Reduce::kFirst},
    {"last", Reduce::kLast}, {"count", Reduce::kCount},   {"change", Reduce::kChange},
    {"turn", Reduce::kTurn}, {"rise", Reduce::kRise},     {"roughness", Reduce::kRoughness}};

Reduce reduction(const Field& field) {
  const std::string text = field.text();
  for (const auto& [name, value] : kReductions) {
    if (name == text) return value;
  }
  field.expected(
      "max, min, sum, mean, median, count, first, last, change, turn, rise or roughness");
}

std::string table_name(const Field& field) {
  const std::string name = field.text();
  if (name != "steps" && name != "trajectory" && name != "joints" && name != "contacts")
    field.expected("\"steps\", \"trajectory\", \"joints\" or \"contacts\"");
  return name;
}

std::vector<std::string> words(const Field& field) {
  std::vector<std::string> list;
  for (const Field& item : field.items()) list.push_back(item.text());
  if (list.empty()) field.expected("at least one name");
  return list;
}

// Reads an expression. If it has no names, it is evaluated at once, so that errors show now.
std::string expression(const Field& field) {
  const std::string text = field.text();
  if (!names_in_expression(text).empty()) return text;
  try {
    evaluate_expression(text, {});
  } catch (const std::invalid_argument& error) {
    field.fail(error.what());
  }
  return text;
}

}  // namespace

std::string read_record_expression(const Field& field) {
  const std::string text = expression(field);
  for (const std::string& name : names_in_expression(text)) {
    if (!names_about_records().contains(name))
      field.fail(fmt::format("\"{}\" is none of {}", name, fmt::join(names_about_records(), ", ")));
  }
  return text;
}

namespace {

ClaimValue value_from(const std::string& name, const Field& field) {
  ClaimValue v;
  v.name = name;
  if (field.value().get_if<std::string>()) {
    v.value = expression(field);
    return v;
  }
  const auto optional_text = [&](const char* member, std::string& to) {
    if (field.has(member)) to = field[member].text();
  };
  if (field.has("records")) {
    field.only(
        {"records", "value", "where", "reduce", "solver", "label", "sequence", "family", "kinds"});
    v.from = ClaimValue::From::kRecords;
    v.of = field["records"].text();
    optional_text("solver", v.solver);
    v.any_label = !field.has("label");
    optional_text("label", v.label);
    optional_text("sequence", v.sequence);
    optional_text("family", v.family);
    if (field.has("kinds")) v.kinds = words(field["kinds"]);
  } else if (field.has("run")) {
    field.only({"run", "value", "where", "reduce"});
    v.from = ClaimValue::From::kRun;
    v.of = field["run"].text();
  } else if (field.has("table")) {
    field.only({"table", "of", "value", "where", "reduce", "body", "by_step"});
    v.from = ClaimValue::From::kTable;
    v.table = table_name(field["table"]);
    v.of = field["of"].text();
    optional_text("body", v.body);
    v.by_step = field.has("by_step") && field["by_step"].boolean();
  } else if (field.has("distance")) {
    field.only({"distance", "in", "columns", "reduce", "body"});
    v.from = ClaimValue::From::kDistance;
    const std::vector<std::string> pair = words(field["distance"]);
    if (pair.size() != 2) field["distance"].expected("two simulations");
    v.of = pair[0];
    v.other = pair[1];
    v.table = table_name(field["in"]);
    v.columns = words(field["columns"]);
    optional_text("body", v.body);
  } else {
    field.expected("an expression, or an object with records, run, table or distance");
  }
  if (v.from != ClaimValue::From::kDistance) {
    const auto read = v.from == ClaimValue::From::kRecords ? read_record_expression : expression;
    v.value = field.has("value") ? read(field["value"]) : "1";
    if (field.has("where")) v.where = read(field["where"]);
  }
  v.reduce = reduction(field["reduce"]);
  return v;
}

std::string time_text(double seconds) {
  for (const auto& [unit, size] : {std::pair("s", 1.0), {"ms", 1e-3}}) {
    if (std::abs(seconds) >= size) return fmt::format("{:.3g} {}", seconds / size, unit);
  }
  return fmt::format("{:.3g} µs", seconds / 1e-6);
}

// A condition in the values before it.
std::string condition(const Field& field, const std::map<std::string, double>& known) {
  const std::string text = field.text();
  for (const std::string& name : names_in_expression(text)) {
    if (!known.contains(name)) field.fail(fmt::format("\"{}\" is none of the values", name));
  }
  try {
    evaluate_expression(text, known);
  } catch (const NotFinite& error) {  // the values that are measured decide
    if (names_in_expression(text).empty()) field.fail(error.what());
  } catch (const std::invalid_argument& error) {
    field.fail(error.what());
  }
  return text;
}

ClaimRule read_claim_rule(const Field& field) {
  field.only({"name", "claim", "experiment", "values", "measured", "holds", "in_part"}, true);
  ClaimRule rule;
  rule.name = field["name"].text();
  rule.claim = field["claim"].text();
  rule.experiment = field["experiment"].text();
  rule.values = read_claim_values(field["values"]);
  std::map<std::string, double> known;
  double sample = 1.25;  // values for a trial, at which no usual expression is zero
  for (const ClaimValue& value : rule.values) known[value.name] = sample += 1.5;
  rule.measured = field["measured"].text();
  try {
    with_values(rule.measured, known);
  } catch (const std::invalid_argument& error) {
    field["measured"].fail(error.what());
  }
  rule.holds = condition(field["holds"], known);
  if (field.has("in_part")) rule.in_part = condition(field["in_part"], known);
  return rule;
}

}  // namespace

std::string number_text(double value, const std::string& format) {
  if (format == "time") return time_text(value);
  try {
    return fmt::format(fmt::runtime("{:" + format + "}"), value);
  } catch (const fmt::format_error& error) {
    throw std::invalid_argument(fmt::format("\"{}\": {}", format, error.what()));
  }
}

std::string filled(
    const std::string& text,
    const std::function<std::string(const std::string& name, const std::string& format)>& value) {
  return fill_braces(text, [&](const std::string& inside) {
    const std::size_t colon = inside.find(':');
    return value(inside.substr(0, colon), colon == inside.npos ? "" : inside.substr(colon + 1));
  });
}

std::string with_values(const std::string& measured, const std::map<std::string, double>& values) {
  return filled(measured, [&](const std::string& name, const std::string& format) {
    const auto it = values.find(name);
    if (it == values.end())
      throw std::invalid_argument(fmt::format("\"{}\" is none of the values", name));
    return number_text(it->second, format);
  });
}

std::vector<ClaimValue> read_claim_values(const Field& field) {
  std::vector<ClaimValue> values;
  std::set<std::string> known;
  for (const auto& [name, value] : members(field)) {
    values.push_back(value_from(name, value));
    if (values.back().from == ClaimValue::From::kExpression) {
      for (const std::string& used : names_in_expression(values.back().value)) {
        if (!known.contains(used)) value.fail(fmt::format("\"{}\" is none of the values", used));
      }
    }
    known.insert(name);
  }
  return values;
}

ClaimTableRule read_claim_table(const Field& field) {
  field.only({"name", "title", "caption", "claims"}, true);
  ClaimTableRule table{field["name"].text(),
                       field["title"].text(),
                       field.has("caption") ? field["caption"].text() : "",
                       {}};
  std::set<std::string> names;
  for (const Field& claim : field["claims"].items()) {
    table.claims.push_back(read_claim_rule(claim));
    if (!names.insert(table.claims.back().name).second)
      claim["name"].fail("is the name of two claims");
  }
  return table;
}

}  // namespace perp
