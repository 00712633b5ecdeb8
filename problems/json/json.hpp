// A small JSON document; long arrays of numbers stay compact.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace perp {

/// Bad input: the text names the file, the field or place, and the fault. It is always one readable
/// line, whatever the input contains (message_line).
class InputError : public std::runtime_error {
 public:
  /// With this text, made fit for one line.
  explicit InputError(const std::string& text);
};

/// The error FILE: field "FIELD": FAULT, made from a file and "field: fault", the form of the
/// messages of validate().
InputError field_error(const std::string& file, std::string_view field_and_fault);

namespace json {

struct Value;
using Array = std::vector<Value>;
using Member = std::pair<std::string, Value>;
using Object = std::vector<Member>;  ///< in the order of the file; names are unique

/// An array that holds only numbers, 8 bytes each; `integral` tells whether all were written as
/// integers. An array of integers of which one is not exactly a double is an Array.
struct Numbers {
  std::vector<double> values;
  bool integral = true;
};

/// A value of any type: null, bool, number, text, numbers, array or object.
struct Value {
  std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, Numbers, Array, Object>
      data = nullptr;

  Value() = default;
  /// From what it can hold.
  template <class T>
  requires(!std::is_same_v<std::decay_t<T>, Value>) Value(T&& value)
      : data(std::forward<T>(value)) {}  // NOLINT: conversion is the point

  /// Whether it is null.
  bool is_null() const { return std::holds_alternative<std::nullptr_t>(data); }
  /// The value if it has the type T, else nullptr.
  template <class T>
  const T* get_if() const {
    return std::get_if<T>(&data);
  }
  /// Member of an object, or nullptr.
  const Value* find(std::string_view name) const;
  /// "an object", "a string", ...: for messages.
  std::string_view type_name() const;
};

/// Parses a whole document. @param file its name, with which messages begin
/// @throws InputError with line and column; also for repeated names, nesting deeper than 100, and
/// numbers that do not fit a double
Value parse(std::string_view text, const std::string& file);

/// Compact text; doubles in the shortest form that reads back to the same bits.
std::string to_text(const Value& value);
void append_text(std::string& out, const Value& value);
void append_number(std::string& out, double value);
void append_string(std::string& out, std::string_view value);

}  // namespace json
}  // namespace perp
