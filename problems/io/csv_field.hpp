// Fields of CSV files.
#pragma once

#include <string>
#include <string_view>

namespace perp {

/// The text as one field of CSV (RFC 4180): in quotes if it has a comma, a quote or an end of line,
/// with its own quotes doubled.
std::string csv_field(std::string_view text);

}  // namespace perp
