// The main table as JSON, for scripts.
#pragma once

#include <nlohmann/json.hpp>
#include <perp/bench/harness/record.hpp>
#include <vector>

namespace perp {

/// {"table": the lines of the main table (summarise), "failures": what did not end right, by cause
/// (failures)} of the records, of each run the one written last (one_each). Times are in seconds; a
/// median, quantile or residual of no solved run is null.
nlohmann::ordered_json summary_json(const std::vector<Record>& records);

}  // namespace perp
