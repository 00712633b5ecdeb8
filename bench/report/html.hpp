// The report: one self-contained page.
#pragma once

#include <perp/bench/harness/record.hpp>
#include <perp/bench/report/claims.hpp>
#include <perp/bench/report/simulations.hpp>
#include <perp/bench/report/tables.hpp>
#include <string>
#include <vector>

namespace perp {

/// HTML with its style and drawings inline and no reference to anything outside. Sections: solvers
/// side by side, profiles, time against size, table by suite, failures by cause, claims of papers,
/// tables of a study, simulations, solvers and settings, machine and versions, known limitations;
/// those that have nothing to tell are left out.
std::string report_html(const std::vector<Record>& records,
                        const std::vector<SimulationGroup>& simulations,
                        const std::vector<ClaimTable>& claims,
                        const std::vector<StudyTable>& tables, const std::string& title);

}  // namespace perp
