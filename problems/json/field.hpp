// A place in a JSON document, for readers whose errors name file, field and fault.
#pragma once

#include <perp/problems/json/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace perp {

/// A value and its path in the document. Every access that fails throws InputError:
///   FILE: field "PATH": FAULT
/// A Field keeps references to the document and to the name of the file.
class Field {
 public:
  /// The largest size or index that a file may state.
  static constexpr int kMaxInteger = 100'000'000;

  Field(const json::Value& value, const std::string& file, std::string path)
      : value_(&value), file_(&file), path_(std::move(path)) {}

  /// @throws InputError with this fault.
  [[noreturn]] void fail(std::string_view fault) const;
  /// fail("expected WHAT, found ...").
  [[noreturn]] void expected(std::string_view what) const;

  const json::Value& value() const { return *value_; }
  const std::string& file() const { return *file_; }
  const std::string& path() const { return path_; }

  bool has(std::string_view name) const { return value_->find(name) != nullptr; }
  /// Member of an object.
  Field operator[](std::string_view name) const;
  /// Element of a general array.
  Field at(std::size_t i) const;
  /// Refuses members other than these. @param extensions members that begin with "x-" are allowed
  /// too
  void only(const std::set<std::string_view>& allowed, bool extensions = false) const;

  std::string text() const;
  bool boolean() const;
  double number() const;
  int integer(int low, int high) const;
  const std::vector<double>& numbers() const;
  std::vector<int> integers() const;
  /// Elements of an array that holds no numbers; an empty array has none.
  std::vector<Field> items() const;

 private:
  std::string join(std::string_view name) const;
  [[noreturn]] void fail_at_first_non_number() const;

  const json::Value* value_;
  const std::string* file_;
  std::string path_;
};

}  // namespace perp
