// Measured tables, computed from evidence.
#pragma once

#include <optional>
#include <perp/bench/report/tables.hpp>
#include <perp/bench/studies/evidence.hpp>
#include <string>

namespace perp {

/// The table, as far as there is evidence for it: other cells hold "–".
StudyTable make_table(const TableRule& rule, const Evidence& evidence);

}  // namespace perp
