// What a solver is called if records of it differ in more than its name.
#pragma once

#include <perp/bench/harness/record.hpp>
#include <string>
#include <vector>

namespace perp {

/// Stands behind the name of a solver whose program tells its times itself.
inline constexpr char kOwnTimesMark = '*';

/// How a record's solver is called in tables and charts: its label, its start if that is not zero,
/// settings if records of this solver (and label) differ in them, tolerance and limits if records
/// of the suite do. It says if a solver makes no use of the start, and has a mark if its times are
/// its own word. One name for each record, in their order.
std::vector<std::string> solver_names(const std::vector<Record>& records);

}  // namespace perp
