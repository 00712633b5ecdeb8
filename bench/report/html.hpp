// The report: one self-contained page.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <perp/bench/harness/record.hpp>
#include <perp/bench/report/claims.hpp>
#include <perp/bench/report/simulations.hpp>
#include <perp/bench/report/tables.hpp>
#include <string>
#include <vector>

namespace perp {

/// HTML with its style, its data (page_data) and the program that draws them, and no reference to
/// anything outside.
/// @param earlier runs beside this one (history_json), an empty array if there are none
std::string report_html(const std::vector<Record>& records,
                        const std::vector<SimulationGroup>& simulations,
                        const std::vector<ClaimTable>& claims,
                        const std::vector<StudyTable>& tables, const std::string& title,
                        const nlohmann::ordered_json& earlier);

}  // namespace perp
