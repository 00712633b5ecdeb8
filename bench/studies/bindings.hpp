// "each" of a study: one entry that stands for many, with values in the places of names.
#pragma once

#include <map>
#include <perp/problems/json/field.hpp>
#include <string>
#include <utility>
#include <vector>

namespace perp {

/// Values of the names of one entry.
class Bindings {
 public:
  void set(const std::string& name, std::string text) { values_[name] = std::move(text); }

  /// A text with "{NAME}" replaced. @throws InputError for a name that has no value
  std::string text(const Field& field) const;
  /// The document with every "{NAME}" of these in its texts replaced; others stay.
  json::Value bound(const json::Value& value) const;
  /// A number, or an expression in the names whose values are numbers. @throws InputError
  double number(const Field& field) const;
  /// One number, or the expressions of a text that commas part.
  std::vector<double> numbers(const Field& field) const;

 private:
  std::map<std::string, std::string> values_;
};

/// From the field's "each": {"a": [1, 2], "b": ["x", "y"]} for all four pairs, or a list of objects
/// [{"a": 1, "b": "x"}, ...] for these; one without values if there is none. @throws InputError
std::vector<Bindings> bindings_of(const Field& field);

/// Members of an object in their order.
std::vector<std::pair<std::string, Field>> members(const Field& field);

/// A text, number or truth value as text.
std::string text_of(const Field& field);

/// The texts of a list of at least one. @throws InputError
std::vector<std::string> texts_of(const Field& field);

}  // namespace perp
