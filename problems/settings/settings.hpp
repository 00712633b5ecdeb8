// Settings: each is declared once, with its name, default, range and meaning.
#pragma once

#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perp {

/// The values that a number may have. An end belongs to the range if it is not open.
struct Range {
  double low = 0.0, high = std::numeric_limits<double>::infinity();
  bool open_low = false, open_high = false;
  int multiple = 0;  ///< a whole number must be a multiple of this; 0: any

  /// Whether the value is in the range.
  bool holds(double value) const {
    return (open_low ? value > low : value >= low) && (open_high ? value < high : value <= high) &&
           (multiple == 0 || static_cast<long>(value) % multiple == 0);
  }
};
/// Numbers from 0, and numbers above 0.
inline constexpr Range kAtLeastZero{},
    kPositive{0.0, std::numeric_limits<double>::infinity(), true};
/// Whole numbers from 1, or factors that do not shrink.
inline constexpr Range kAtLeastOne{1.0};
/// A share of something, (0, 1], and a share that is not all of it, (0, 1).
inline constexpr Range kShare{0.0, 1.0, true}, kPart{0.0, 1.0, true, true};
/// omega of an over-relaxation, (0, 2) [CottlePangStone2009, Sec. 5.3].
inline constexpr Range kRelaxation{0.0, 2.0, true, true};

/// The values that a text may have; empty: the documentation of the setting says what is allowed.
using Choices = std::initializer_list<std::string_view>;

/// Visits every setting of an owner, which is a solver or a part of a model: its name, a reference
/// to its value, one line of documentation, and the values it may have. set_setting() checks the
/// value; so do prepare() and solve() of a solver, except for its limits.
class SettingVisitor {
 public:
  virtual ~SettingVisitor() = default;
  /// A number.
  virtual void visit(std::string_view name, double& value, std::string_view doc,
                     const Range& range = kAtLeastZero) = 0;
  /// A whole number.
  virtual void visit(std::string_view name, int& value, std::string_view doc,
                     const Range& range = kAtLeastZero) = 0;
  /// A switch.
  virtual void visit(std::string_view name, bool& value, std::string_view doc) = 0;
  /// A text.
  virtual void visit(std::string_view name, std::string& value, std::string_view doc,
                     const Choices& choices = {}) = 0;
};

/// The allowed values in words: "a number above 0", "fb, penalised or min".
std::string text_of(const Range& range, bool whole);
/// @overload
std::string text_of(const Choices& choices);
/// Whether the text is one of the choices; true if there are none.
bool is_choice(const Choices& choices, std::string_view text);

/// Checks values that C++ code assigned in the way that set_setting() checks texts. Every visit()
/// @throws std::invalid_argument naming the setting if its value is not allowed
class SettingCheck final : public SettingVisitor {
 public:
  void visit(std::string_view name, double& value, std::string_view, const Range& range) override;
  void visit(std::string_view name, int& value, std::string_view, const Range& range) override;
  void visit(std::string_view, bool&, std::string_view) override {}
  void visit(std::string_view name, std::string& value, std::string_view,
             const Choices& choices) override;
};

/// One setting as text.
struct SettingText {
  std::string name, value, doc;
  std::string range;  ///< "at least 1", "fb, penalised or min"; "" if `doc` says it
};

/// Shows every setting of an owner to a visitor.
using VisitSettings = std::function<void(SettingVisitor&)>;

/// Every setting with its value.
std::vector<SettingText> list_settings(const VisitSettings& visit);

/// Sets a setting from text. @param owner its name, for messages: "lemke"
/// @throws std::invalid_argument naming the setting, and the settings that exist or the values that
/// are allowed
void set_setting(const VisitSettings& visit, std::string_view owner, std::string_view name,
                 std::string_view value);

/// "key=value,..." as pairs; no "=": an empty value. @throws std::invalid_argument if one is empty
/// or a key is given twice
std::vector<std::pair<std::string, std::string>> split_settings(std::string_view text);

}  // namespace perp
