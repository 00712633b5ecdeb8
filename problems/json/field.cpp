#include <perp/problems/json/field.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <perp/problems/json/text.hpp>
#include <utility>

namespace perp {

namespace {

bool equal_but_for_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

void Field::fail(std::string_view fault) const {
  throw InputError(path_.empty() ? fmt::format("{}: {}", *file_, fault)
                                 : fmt::format("{}: field \"{}\": {}", *file_, path_, fault));
}

void Field::expected(std::string_view what) const {
  fail(fmt::format("expected {}, found {}", what, value_->type_name()));
}

Field Field::operator[](std::string_view name) const {
  if (!value_->get_if<json::Object>()) expected("an object");
  const json::Value* member = value_->find(name);
  if (!member) {
    std::string hint;
    for (const json::Member& other : *value_->get_if<json::Object>()) {
      if (!equal_but_for_case(other.first, name)) continue;
      hint = fmt::format("; there is \"{}\", did you mean \"{}\"?", other.first, name);
    }
    Field(json::Value(), *file_, join(name)).fail("is missing" + hint);
  }
  return Field(*member, *file_, join(name));
}

Field Field::at(std::size_t i) const {
  return Field((*value_->get_if<json::Array>())[i], *file_, fmt::format("{}[{}]", path_, i));
}

void Field::only(const std::set<std::string_view>& allowed, bool extensions) const {
  const auto* object = value_->get_if<json::Object>();
  if (!object) expected("an object");
  for (const json::Member& member : *object) {
    if (allowed.contains(member.first)) continue;
    if (extensions && member.first.starts_with("x-")) continue;
    const auto meant = std::find_if(allowed.begin(), allowed.end(), [&](std::string_view name) {
      return equal_but_for_case(name, member.first);
    });
    Field(member.second, *file_, join(member.first))
        .fail(meant == allowed.end() ? "unknown field"
                                     : fmt::format("unknown field; did you mean \"{}\"?", *meant));
  }
}

std::string Field::text() const {
  const auto* s = value_->get_if<std::string>();
  if (!s) expected("a string");
  return *s;
}

bool Field::boolean() const {
  const auto* b = value_->get_if<bool>();
  if (!b) expected("true or false");
  return *b;
}

double Field::number() const {
  if (const auto* d = value_->get_if<double>()) return *d;
  if (const auto* i = value_->get_if<std::int64_t>()) return static_cast<double>(*i);
  expected("a number");
}

int Field::integer(int low, int high) const {
  const auto* i = value_->get_if<std::int64_t>();
  if (!i) expected("an integer");
  if (*i < low || *i > high) fail(fmt::format("{} is not in {}..{}", *i, low, high));
  return static_cast<int>(*i);
}

const std::vector<double>& Field::numbers() const {
  const auto* n = value_->get_if<json::Numbers>();
  if (!n) fail_at_first_non_number();
  return n->values;
}

std::vector<int> Field::integers() const {
  const std::vector<double>& values = numbers();
  if (!value_->get_if<json::Numbers>()->integral) fail("expected integers only");
  std::vector<int> result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::abs(values[i]) > kMaxInteger)
      fail(fmt::format("[{}]: {} is out of range", i, values[i]));
    result[i] = static_cast<int>(values[i]);
  }
  return result;
}

std::vector<Field> Field::items() const {
  std::vector<Field> result;
  if (const auto* array = value_->get_if<json::Array>()) {
    result.reserve(array->size());  // growing the array would take half as much memory again
    for (std::size_t i = 0; i < array->size(); ++i) result.push_back(at(i));
    return result;
  }
  const auto* numbers = value_->get_if<json::Numbers>();
  if (!numbers) expected("an array");
  if (!numbers->values.empty()) fail("expected an array of objects or arrays, found numbers");
  return result;
}

// Names come from the file; the message must stay one printable line.
std::string Field::join(std::string_view name) const {
  const std::string text = shown(name);
  return path_.empty() ? text : fmt::format("{}.{}", path_, text);
}

void Field::fail_at_first_non_number() const {
  const auto* array = value_->get_if<json::Array>();
  if (!array) expected("an array of numbers");
  for (std::size_t i = 0; i < array->size(); ++i) {
    if (!(*array)[i].get_if<double>() && !(*array)[i].get_if<std::int64_t>()) {
      at(i).expected("a number");
    }
  }
  for (std::size_t i = 0; i < array->size(); ++i) {
    const auto* integer = (*array)[i].get_if<std::int64_t>();
    const double value = integer ? static_cast<double>(*integer) : 0.0;
    if (integer && !(value < 0x1p63 && static_cast<std::int64_t>(value) == *integer))
      at(i).fail(fmt::format("{} is not exactly a double", *integer));
  }
  fail("expected an array of numbers");
}

}  // namespace perp
