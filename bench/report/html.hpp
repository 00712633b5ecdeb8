// The report: one self-contained page.
#pragma once

#include <perp/bench/harness/record.hpp>
#include <string>
#include <vector>

namespace perp {

/// HTML with its style inline and no reference to anything outside. Sections: machine and versions,
/// solvers and settings, table by suite, failures by cause, known limitations.
std::string report_html(const std::vector<Record>& records, const std::string& title);

}  // namespace perp
