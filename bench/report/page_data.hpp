// What the page of a report is made of, as JSON; page/src reads it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <perp/bench/harness/record.hpp>
#include <perp/bench/report/claims.hpp>
#include <perp/bench/report/replay_data.hpp>
#include <perp/bench/report/simulations.hpp>
#include <perp/bench/report/tables.hpp>
#include <string>
#include <vector>

namespace perp {

/// {"title", "left_out", "records", "about", "claims", "tables", "history", "simulations"}. Records
/// are rows of numbers; names stand once in lists of words, to which rows refer. What is not finite
/// is null. Of records that tell of the same run the last counts.
nlohmann::ordered_json page_data(const std::vector<Record>& records,
                                 const std::vector<SimulationGroup>& simulations,
                                 const std::vector<ClaimTable>& claims,
                                 const std::vector<StudyTable>& tables, const std::string& title,
                                 const nlohmann::ordered_json& earlier);

/// The records of it, or null if there are none.
nlohmann::ordered_json record_data(const std::vector<Record>& records);

/// A group of simulations: its charts, and a line for each run with its motion (replay_data).
nlohmann::ordered_json simulation_data(const SimulationGroup& group, ReplayRoom& room);

}  // namespace perp
