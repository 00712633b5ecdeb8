// Names of solvers in reports, if their records differ in settings as well.
#pragma once

#include <perp/bench/harness/record.hpp>
#include <string>
#include <vector>

namespace perp {

/// Added to the name of a solver whose program reports its times itself.
inline constexpr char kOwnTimesMark = '*';

/// Name of each record's solver in tables and charts, in the order of the records. It has the
/// label; the start if that is not zero; settings if records of this solver (and label) differ in
/// them; tolerance and limits if records of the suite differ in them. It says if the solver did not
/// use the start, and has kOwnTimesMark if the times are the program's own.
std::vector<std::string> solver_names(const std::vector<Record>& records);

}  // namespace perp
