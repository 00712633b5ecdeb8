#include <perp/bench/studies/bindings.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <perp/problems/io/braces.hpp>
#include <perp/problems/scenes/number_expression.hpp>
#include <stdexcept>

namespace perp {

namespace {

constexpr std::size_t kMost = 10'000;  // most copies of one entry

// The elements of an array as texts, also of numbers.
std::vector<std::string> values_of(const Field& field) {
  std::vector<std::string> values;
  if (const auto* numbers = field.value().get_if<json::Numbers>()) {
    for (const double value : numbers->values) values.push_back(fmt::format("{}", value));
  } else {
    for (const Field& item : field.items()) values.push_back(text_of(item));
  }
  if (values.empty()) field.expected("a list with at least one value");
  return values;
}

}  // namespace

std::string Bindings::text(const Field& field) const {
  try {
    return fill_braces(text_of(field), [&](const std::string& name) {
      const auto it = values_.find(name);
      if (it == values_.end())
        field.fail(fmt::format("\"{{{}}}\" is not a name in \"each\"", name));
      return it->second;
    });
  } catch (const std::invalid_argument& error) {
    field.fail(error.what());
  }
}

json::Value Bindings::bound(const json::Value& value) const {
  if (const auto* text = value.get_if<std::string>()) {
    std::string out = *text;
    for (const auto& [name, with] : values_) {
      const std::string mark = "{" + name + "}";
      for (std::size_t at = 0; (at = out.find(mark, at)) != out.npos; at += with.size())
        out.replace(at, mark.size(), with);
    }
    return out;
  }
  if (const auto* array = value.get_if<json::Array>()) {
    json::Array out;
    for (const json::Value& item : *array) out.push_back(bound(item));
    return out;
  }
  if (const auto* object = value.get_if<json::Object>()) {
    json::Object out;
    for (const auto& [name, item] : *object) out.emplace_back(name, bound(item));
    return out;
  }
  return value;
}

double Bindings::number(const Field& field) const {
  if (!field.value().get_if<std::string>()) return field.number();
  try {
    return evaluate_expression(text(field), {});
  } catch (const std::invalid_argument& error) {
    field.fail(error.what());
  }
}

std::vector<double> Bindings::numbers(const Field& field) const {
  if (!field.value().get_if<std::string>()) return {field.number()};
  const std::string filled = text(field);
  std::vector<double> list;
  try {
    for (std::size_t at = 0; at <= filled.size();) {
      const std::size_t comma = std::min(filled.find(',', at), filled.size());
      list.push_back(evaluate_expression(filled.substr(at, comma - at), {}));
      at = comma + 1;
    }
  } catch (const std::invalid_argument& error) {
    field.fail(error.what());
  }
  return list;
}

std::vector<Bindings> bindings_of(const Field& field) {
  std::vector<Bindings> list(1);
  if (!field.has("each")) return list;
  const Field each = field["each"];
  if (!each.value().get_if<json::Object>()) {
    list.clear();
    for (const Field& item : each.items()) {
      list.emplace_back();
      for (const auto& [name, value] : members(item)) list.back().set(name, text_of(value));
    }
    if (list.empty()) each.expected("an object, or a list of objects");
    return list;
  }
  for (const auto& [name, value] : members(each)) {
    std::vector<Bindings> more;
    for (const Bindings& one : list) {
      for (const std::string& text : values_of(value)) {
        more.push_back(one);
        more.back().set(name, text);
      }
    }
    if (more.size() > kMost) each.fail(fmt::format("gives more than {} entries", kMost));
    list = std::move(more);
  }
  return list;
}

std::vector<std::pair<std::string, Field>> members(const Field& field) {
  const auto* object = field.value().get_if<json::Object>();
  if (!object) field.expected("an object");
  std::vector<std::pair<std::string, Field>> list;
  for (const auto& [name, value] : *object) list.emplace_back(name, field[name]);
  return list;
}

std::string text_of(const Field& field) {
  if (const auto* truth = field.value().get_if<bool>()) return *truth ? "true" : "false";
  if (field.value().get_if<std::string>()) return field.text();
  return fmt::format("{}", field.number());
}

std::vector<std::string> texts_of(const Field& field) {
  std::vector<std::string> list;
  for (const Field& item : field.items()) list.push_back(item.text());
  if (list.empty()) field.expected("a list of at least one");
  return list;
}

}  // namespace perp
