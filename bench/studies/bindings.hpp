// "each" of a study: one entry that is repeated with different values for its names.
#pragma once

#include <map>
#include <perp/problems/json/field.hpp>
#include <string>
#include <utility>
#include <vector>

namespace perp {

/// The values of the names for one copy of an entry.
class Bindings {
 public:
  /// Gives the name a value.
  void set(const std::string& name, std::string text) { values_[name] = std::move(text); }

  /// A text with "{NAME}" replaced. @throws InputError for a name that has no value
  std::string text(const Field& field) const;
  /// The document with every "{NAME}" in its texts replaced if the name has a value; others stay.
  json::Value bound(const json::Value& value) const;
  /// A number, or an expression in those names that have numbers as values. @throws InputError for
  /// others
  double number(const Field& field) const;
  /// One number, or the values of the expressions in a text, separated by commas. @throws
  /// InputError for others
  std::vector<double> numbers(const Field& field) const;

 private:
  std::map<std::string, std::string> values_;
};

/// The bindings from the field's "each": {"a": [1, 2], "b": ["x", "y"]} gives all four pairs, a
/// list of objects [{"a": 1, "b": "x"}, ...] gives these. One without values if there is no "each".
/// @throws InputError if "each" is wrong
std::vector<Bindings> bindings_of(const Field& field);

/// Members of an object in their order. @throws InputError for others
std::vector<std::pair<std::string, Field>> members(const Field& field);

/// A text, number, true or false as text. @throws InputError for others
std::string text_of(const Field& field);

/// The texts of a list with at least one. @throws InputError for others
std::vector<std::string> texts_of(const Field& field);

}  // namespace perp
