// A run beside earlier runs of the same: how times and successes went over versions.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <perp/bench/harness/record.hpp>
#include <string>
#include <vector>

namespace perp {

/// Records of an earlier run.
struct EarlierRun {
  std::string label;  ///< its date, if the file's name begins with one, else the name
  std::vector<Record> records;
};

/// Reads record files or folders with some, in the order given. @throws InputError
std::vector<EarlierRun> read_earlier(const std::vector<std::string>& paths);

/// Published runs of a study, results/DATE-NAME.jsonl.gz beside perp's data, oldest first.
std::vector<std::string> published_runs(const std::string& study);

/// [{"label", "same_machine", "groups": [{"suite", "solver", "compared", "solved_before",
/// "solved_now", "timed", "ratio", "low", "high"}]}], by compare_runs: ratio is the time then over
/// the time now, with its band. Runs of the same program, and those without a common problem, are
/// left out.
nlohmann::ordered_json history_json(const std::vector<Record>& now,
                                    const std::vector<EarlierRun>& earlier);

}  // namespace perp
