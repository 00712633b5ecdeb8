// Pieces of the page that its sections share.
#pragma once

#include <perp/bench/report/plot.hpp>
#include <string>
#include <string_view>

namespace perp {

/// Text for HTML and for attributes.
std::string escape(std::string_view text);

/// The drawing, or one line that says why it is missing.
std::string figure(const Plot& plot);

/// For a table: milliseconds with three digits or so, a count; a dash for NaN.
std::string milliseconds(double value);
std::string count(double value);

/// One number or "1 – 3"; nothing where the range is empty.
std::string range(int low, int high);

}  // namespace perp
