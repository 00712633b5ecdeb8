#include <perp/problems/json/text.hpp>

#include <fmt/format.h>
#include <cstdint>

namespace perp {

namespace {

constexpr std::size_t kLongestMessage = 900;

struct Symbol {
  std::uint32_t code = 0;
  std::size_t length = 0;  // bytes; 0: the first byte begins no character
};

// The character at the beginning of a text that is not empty.
Symbol first_symbol(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
  std::uint32_t code = lead & (0xFFu >> (length + 1));
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xC0u) != 0x80u) return {};
    code = (code << 6) | (byte(k) & 0x3Fu);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kLeast[length] || code > 0x10FFFF || surrogate) return {};
  return {code, length};
}

// Control characters, line separators, and marks of the direction of writing.
bool is_invisible(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x200B && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF;
}

std::string escaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto [code, length] = first_symbol(text);
    const auto byte = static_cast<unsigned char>(text[0]);
    if (length > 0 && !is_invisible(code)) {
      result += text.substr(0, length);
    } else if (byte == '\n') {
      result += "\\n";
    } else if (byte == '\t') {
      result += "\\t";
    } else if (length > 1) {
      result += fmt::format("\\u{{{:x}}}", code);
    } else {
      result += fmt::format("\\x{:02x}", byte);
    }
    text.remove_prefix(length > 0 ? length : 1);
  }
  return result;
}

// Whether a character of UTF-8 may be cut before this byte.
bool begins_symbol(char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = first_symbol(text).length;
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string to_utf8(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = first_symbol(text).length;
    if (length > 0) {
      result += text.substr(0, length);
    } else {
      result += "\xEF\xBF\xBD";
    }
    text.remove_prefix(length > 0 ? length : 1);
  }
  return result;
}

std::string shown(std::string_view foreign, std::size_t limit) {
  if (foreign.size() <= limit) return escaped(foreign);
  std::size_t head = 2 * limit / 3, tail = foreign.size() - limit / 3;
  while (head > 0 && !begins_symbol(foreign[head])) --head;
  while (tail < foreign.size() && !begins_symbol(foreign[tail])) ++tail;
  return escaped(foreign.substr(0, head)) + "..." + escaped(foreign.substr(tail));
}

std::string message_line(std::string_view message) { return shown(message, kLongestMessage); }

}  // namespace perp
