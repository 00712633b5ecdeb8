// Settings that are declared once: name, default, range, meaning.
#pragma once

#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace perp {

/// What a number may be. Both ends belong to it, but for a low end that is open.
struct Range {
  double low = 0.0, high = std::numeric_limits<double>::infinity();
  bool open = false;  ///< low itself is not in it

  bool holds(double value) const { return (open ? value > low : value >= low) && value <= high; }
};
inline constexpr Range kNonnegative{},
    kPositive{0.0, std::numeric_limits<double>::infinity(), true};
/// Whole numbers from 1.
inline constexpr Range kAtLeastOne{1.0};

/// What a text may be; empty: the setting says so itself.
using Choices = std::initializer_list<std::string_view>;

/// Sees every setting of a solver: its name, a reference to its value, one line of documentation,
/// and what the value may be.
class SettingVisitor {
 public:
  virtual ~SettingVisitor() = default;
  virtual void visit(std::string_view name, double& value, std::string_view doc,
                     const Range& range = kNonnegative) = 0;
  virtual void visit(std::string_view name, int& value, std::string_view doc,
                     const Range& range = kNonnegative) = 0;
  virtual void visit(std::string_view name, bool& value, std::string_view doc) = 0;
  virtual void visit(std::string_view name, std::string& value, std::string_view doc,
                     const Choices& choices = {}) = 0;
};

/// One setting as text.
struct SettingText {
  std::string name, value, doc;
  std::string range;  ///< "at least 1", "fb, penalised or min"; "" if the documentation tells
};

}  // namespace perp
