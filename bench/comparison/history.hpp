// Compares a run with earlier runs of the same study: times and successes over versions.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <perp/bench/harness/record.hpp>
#include <string>
#include <vector>

namespace perp {

/// Paths of the published runs of a study, results/DATE-NAME.jsonl.gz in perp's data folder, oldest
/// first; none if `study` is empty.
std::vector<std::string> published_runs(const std::string& study);

/// Compares a run with earlier ones (record files, or folders that hold some), in the order given:
/// [{"label", "same_machine", "groups": [{"suite", "solver", "compared", "solved_before",
/// "solved_now", "timed", "ratio", "low", "high"}]}], by compare_runs(). `ratio` is the time then
/// over the time now, with its band. The label is the date if the file's name begins with one, else
/// the name. Runs of the same program, and those without a common problem, are left out.
/// @throws InputError if an earlier run cannot be read
nlohmann::ordered_json history_json(const std::vector<Record>& now,
                                    const std::vector<std::string>& earlier);

}  // namespace perp
