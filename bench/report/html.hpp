// The report: one self-contained page.
#pragma once

#include <perp/bench/comparison/history.hpp>
#include <perp/bench/harness/record.hpp>
#include <perp/bench/report/claims.hpp>
#include <perp/bench/report/simulations.hpp>
#include <perp/bench/report/tables.hpp>
#include <string>
#include <vector>

namespace perp {

/// HTML with its style, its data (page_data) and the program that draws them, and no reference to
/// anything outside.
std::string report_html(const std::vector<Record>& records,
                        const std::vector<SimulationGroup>& simulations,
                        const std::vector<ClaimTable>& claims,
                        const std::vector<StudyTable>& tables, const std::string& title,
                        const std::vector<EarlierRun>& earlier = {});

}  // namespace perp
