// The data of a report's page as JSON, which the scripts in page/src read.
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
/// are rows of numbers. Names are stored once, in lists of words, and rows refer to them by index.
/// Numbers that are not finite are null. Of several records of the same run the last counts.
nlohmann::ordered_json page_data(const std::vector<Record>& records,
                                 const std::vector<SimulationGroup>& simulations,
                                 const std::vector<ClaimTable>& claims,
                                 const std::vector<StudyTable>& tables, const std::string& title,
                                 const nlohmann::ordered_json& earlier);

/// The member "records", or null if there are none.
nlohmann::ordered_json record_data(const std::vector<Record>& records);

/// A group of simulations: its charts, and an entry for each run with its motion (replay_data).
/// @param room is reduced by the size of the motions
nlohmann::ordered_json simulation_data(const SimulationGroup& group, ReplayRoom& room);

}  // namespace perp
