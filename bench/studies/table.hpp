// Computes measured tables from evidence.
#pragma once

#include <optional>
#include <perp/bench/report/tables.hpp>
#include <perp/bench/studies/evidence.hpp>
#include <string>

namespace perp {

/// The table. Cells without evidence hold "–".
StudyTable make_table(const TableRule& rule, const Evidence& evidence);

}  // namespace perp
