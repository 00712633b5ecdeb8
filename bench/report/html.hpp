// The report as one self-contained page.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <perp/bench/harness/record.hpp>
#include <perp/bench/report/claims.hpp>
#include <perp/bench/report/simulations.hpp>
#include <perp/bench/report/tables.hpp>
#include <string>
#include <vector>

namespace perp {

/// HTML with the style, the data (page_data) and the script that draws them. It refers to nothing
/// outside of the page.
/// @param earlier comparison with earlier runs (history_json); an empty array if there are none
std::string report_html(const std::vector<Record>& records,
                        const std::vector<SimulationGroup>& simulations,
                        const std::vector<ClaimTable>& claims,
                        const std::vector<StudyTable>& tables, const std::string& title,
                        const nlohmann::ordered_json& earlier);

}  // namespace perp
