// Text from files and the command line, made fit for messages, a terminal or JSON.
#pragma once

#include <string>
#include <string_view>

namespace perp {

/// True for well-formed UTF-8.
bool is_utf8(std::string_view text);

/// The text with every byte that is no UTF-8 replaced by U+FFFD.
std::string to_utf8(std::string_view text);

/// A word, name or path from a file or the command line, made fit for a message or a terminal.
/// Control characters (also line breaks and terminal escapes), marks that change the direction of
/// writing, and bytes that are no UTF-8 are written as \n, \x1b, \u{202e} and the like. If the text
/// is longer than `limit` bytes, its middle becomes "...".
std::string shown(std::string_view foreign, std::size_t limit = 80);

/// A whole message made fit in the same way: one line of at most about a thousand bytes.
std::string message_line(std::string_view message);

}  // namespace perp
