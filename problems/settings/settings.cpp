#include <perp/problems/settings/settings.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace perp {

std::string text_of(const Range& range, bool whole) {
  const std::string what = range.multiple == 2  ? "an even number"
                           : range.multiple > 0 ? fmt::format("a multiple of {}", range.multiple)
                           : whole              ? "a whole number"
                                                : "a number";
  if (!std::isfinite(range.high)) {
    return fmt::format("{} {} {}", what, range.open_low ? "above" : "of at least", range.low);
  }
  if (range.open_high) return fmt::format("{} between {} and {}", what, range.low, range.high);
  if (range.open_low) return fmt::format("{} above {} and up to {}", what, range.low, range.high);
  return fmt::format("{} from {} to {}", what, range.low, range.high);
}

std::string text_of(const Choices& choices) {
  std::string text;
  for (auto it = choices.begin(); it != choices.end(); ++it) {
    const bool last = it + 1 == choices.end();
    text += it == choices.begin() ? "" : last ? " or " : ", ";
    text += *it;
  }
  return text;
}

bool is_choice(const Choices& choices, std::string_view text) {
  return choices.size() == 0 || std::find(choices.begin(), choices.end(), text) != choices.end();
}

namespace {

[[noreturn]] void refuse_value(std::string_view name, std::string_view value,
                               const std::string& expected) {
  throw std::invalid_argument(
      fmt::format("setting \"{}\": \"{}\" is not {}", name, value, expected));
}

}  // namespace

void SettingCheck::visit(std::string_view name, double& value, std::string_view,
                         const Range& range) {
  if (std::isfinite(value) && range.holds(value)) return;
  refuse_value(name, fmt::format("{}", value), text_of(range, false));
}

void SettingCheck::visit(std::string_view name, int& value, std::string_view, const Range& range) {
  if (!range.holds(value)) refuse_value(name, fmt::format("{}", value), text_of(range, true));
}

void SettingCheck::visit(std::string_view name, std::string& value, std::string_view,
                         const Choices& choices) {
  if (!is_choice(choices, value)) refuse_value(name, value, text_of(choices));
}

namespace {

class Lister : public SettingVisitor {
 public:
  std::vector<SettingText> settings;
  void visit(std::string_view name, double& value, std::string_view doc,
             const Range& range) override {
    add(name, fmt::format("{}", value), doc, text_of(range, false));
  }
  void visit(std::string_view name, int& value, std::string_view doc, const Range& range) override {
    add(name, fmt::format("{}", value), doc, text_of(range, true));
  }
  void visit(std::string_view name, bool& value, std::string_view doc) override {
    add(name, value ? "true" : "false", doc, "true or false");
  }
  void visit(std::string_view name, std::string& value, std::string_view doc,
             const Choices& choices) override {
    add(name, value, doc, text_of(choices));
  }

 private:
  // A method that consists of others may have a name twice; only the first one is listed.
  void add(std::string_view name, std::string value, std::string_view doc, std::string range) {
    const bool known = std::any_of(settings.begin(), settings.end(),
                                   [&](const SettingText& s) { return s.name == name; });
    if (known) return;
    settings.push_back({std::string(name), std::move(value), std::string(doc), std::move(range)});
  }
};

// Sets every setting of a name. If several have that name, it is enough that one accepts the value.
class Setter : public SettingVisitor {
 public:
  Setter(std::string_view name, std::string_view text) : name_(name), text_(text) {}
  bool found = false, taken = false;
  std::string fault;  // of the last setting that did not accept the value

  void visit(std::string_view name, double& value, std::string_view, const Range& range) override {
    if (matches(name)) set_number(value, range, false);
  }
  void visit(std::string_view name, int& value, std::string_view, const Range& range) override {
    if (matches(name)) set_number(value, range, true);
  }
  void visit(std::string_view name, bool& value, std::string_view) override {
    if (!matches(name)) return;
    if (text_ != "true" && text_ != "false") return complain("true or false");
    value = text_ == "true";
    taken = true;
  }
  void visit(std::string_view name, std::string& value, std::string_view,
             const Choices& choices) override {
    if (!matches(name)) return;
    if (!is_choice(choices, text_)) return complain(text_of(choices));
    value = text_;
    taken = true;
  }

 private:
  bool matches(std::string_view name) {
    found |= name == name_;
    return name == name_;
  }
  void complain(const std::string& expected) {
    fault = fmt::format("setting \"{}\": \"{}\" is not {}", name_, text_, expected);
  }
  template <class T>
  void set_number(T& value, const Range& range, bool whole) {
    T read{};
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), read);
    const bool number = error == std::errc() && end == text_.data() + text_.size() &&
                        std::isfinite(static_cast<double>(read));
    if (!number || !range.holds(static_cast<double>(read))) return complain(text_of(range, whole));
    value = read;
    taken = true;
  }

  std::string_view name_, text_;
};

}  // namespace

std::vector<SettingText> list_settings(const VisitSettings& visit) {
  Lister lister;
  visit(lister);
  return std::move(lister.settings);
}

void set_setting(const VisitSettings& visit, std::string_view owner, std::string_view name,
                 std::string_view value) {
  Setter setter(name, value);
  visit(setter);
  if (setter.taken) return;
  if (setter.found) throw std::invalid_argument(setter.fault);
  std::vector<std::string> names;
  for (const SettingText& s : list_settings(visit)) names.push_back(s.name);
  throw std::invalid_argument(fmt::format("setting \"{}\": {} has none of that name; it has {}",
                                          name, owner, fmt::join(names, ", ")));
}

std::vector<std::pair<std::string, std::string>> split_settings(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (std::size_t at = 0; at <= text.size();) {
    const std::string_view item = text.substr(at, text.find(',', at) - at);
    at += item.size() + 1;
    if (item.empty())
      throw std::invalid_argument(fmt::format("settings \"{}\": expected key=value,...", text));
    const std::size_t equals = std::min(item.find('='), item.size());
    const std::string_view key = item.substr(0, equals);
    if (std::any_of(settings.begin(), settings.end(),
                    [&](const auto& s) { return s.first == key; }))
      throw std::invalid_argument(fmt::format("setting \"{}\": is given twice", key));
    settings.emplace_back(key, item.substr(std::min(equals + 1, item.size())));
  }
  return settings;
}

}  // namespace perp
