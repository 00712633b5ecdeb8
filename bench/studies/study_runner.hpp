// Runs a study in one folder: its solves, its simulations, its claims and its report.
#pragma once

#include <functional>
#include <perp/bench/harness/record.hpp>
#include <perp/bench/studies/study_folder.hpp>
#include <string>

namespace perp {

/// Numbers of solves and simulations that were run, and that were there already (skipped).
struct StudySummary {
  int solves = 0, solves_skipped = 0, simulations = 0, simulations_skipped = 0;
  int interrupted = 0;  ///< signal that ended it; 0 if none
};

/// Called with a line that tells what is done next.
using StudyProgress = std::function<void(const std::string& line)>;

/// Runs the solves and simulations of a study. The folder then has
///   study.json             the study's name and path, and the request
///   runs/NAME.json         the keys of all records of a run, or the hash of a simulation's program
///   records*.jsonl         records, as perp bench writes them
///   simulations/GROUP/...  records of simulations, as perp simulate --record writes them
/// A process may be killed at any time; with --resume, complete results are kept and are not run
/// again. A simulation that fails is evidence and no error.
/// @throws InputError if the folder holds something else or cannot be written, or if a suite,
/// solver, scene or engine is unknown
StudySummary run_study(const Study& study, const StudyRequest& request,
                       const StudyProgress& progress);

/// The records in the folder that belong to the study's runs. What an older text of the study has
/// left there is none of them.
std::vector<Record> study_records(const Study& study, const std::string& folder);

/// Judges the claims from the results in the folder. Writes claims/NAME.json, tables/NAME.json and
/// report.html. @return the claims with verdicts
/// @throws InputError if the folder holds another study (check_study_folder)
std::vector<ClaimTable> report_study(const Study& study, const std::string& folder);

}  // namespace perp
