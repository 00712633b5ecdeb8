// Text from elsewhere: in messages, on a terminal, in JSON.
#pragma once

#include <string>
#include <string_view>

namespace perp {

/// True for well-formed UTF-8.
bool is_utf8(std::string_view text);

/// The text with every byte that is no UTF-8 replaced by U+FFFD.
std::string to_utf8(std::string_view text);

/// A word, name or path from a file or the command line, fit to stand in a message or on a
/// terminal: control characters, among them line breaks and terminal escapes, marks that turn the
/// direction of writing, and bytes that are no UTF-8 become \n, \x1b, \u{202e}; the middle of what
/// is longer than `limit` bytes becomes "...".
std::string shown(std::string_view foreign, std::size_t limit = 80);

/// A whole message made fit in the same way: one line of at most about a thousand bytes.
std::string message_line(std::string_view message);

}  // namespace perp
