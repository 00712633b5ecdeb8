// A text whose copies allocate no memory.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace perp {

/// A constant text that its copies share. For texts that every result has: names, settings.
class SharedText {
 public:
  SharedText() = default;
  SharedText(std::string text)  // NOLINT: implicit conversion is intended
      : text_(text.empty() ? nullptr : std::make_shared<const std::string>(std::move(text))) {}
  SharedText(std::string_view text) : SharedText(std::string(text)) {}  // NOLINT
  SharedText(const char* text) : SharedText(std::string(text)) {}       // NOLINT

  const std::string& str() const {
    static const std::string none;
    return text_ ? *text_ : none;
  }
  operator const std::string&() const { return str(); }  // NOLINT
  operator std::string_view() const { return str(); }    // NOLINT
  bool empty() const { return !text_; }
  bool operator==(std::string_view other) const { return str() == other; }

 private:
  std::shared_ptr<const std::string> text_;
};

}  // namespace perp
