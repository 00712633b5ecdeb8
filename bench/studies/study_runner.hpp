// Running a study: its solves, its simulations, its claims and its report, in one folder.
#pragma once

#include <functional>
#include <perp/bench/studies/study_folder.hpp>
#include <string>

namespace perp {

struct StudySummary {
  int solves = 0, solves_skipped = 0, simulations = 0, simulations_skipped = 0;
  int interrupted = 0;  ///< the signal that ended it
};

/// Says what is done next.
using StudyProgress = std::function<void(const std::string& line)>;

/// Runs what the study names. The folder then has
///   study.json             the study's name, path and what it was asked for
///   runs/NAME.json         the keys of all records of a run, and the program of a simulation
///   records*.jsonl         records, as perp bench writes them
///   simulations/GROUP/...  records of simulations, as perp simulate --record writes them
/// A process that is killed at any time leaves what --resume can go on with: what is whole stays
/// and is not run again. A simulation that fails is evidence, no error.
/// @throws InputError: what is there is of something else, or cannot be written; unknown suites,
/// solvers, scenes, engines
StudySummary run_study(const Study& study, const StudyRequest& request,
                       const StudyProgress& progress);

/// Judges the claims from what the folder holds: writes claims/NAME.json and report.html, and
/// returns the tables.
std::vector<ClaimTable> report_study(const Study& study, const std::string& folder);

}  // namespace perp
