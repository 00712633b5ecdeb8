// Compares two builds on the same problems: gained, lost, wrong, faster, slower
// (docs/how-to/compare.md).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <perp/bench/comparison/bands.hpp>
#include <perp/bench/comparison/run_rounds.hpp>
#include <string>
#include <vector>

namespace perp {

/// Results of one problem with one of the builds.
struct ProblemState {
  /// of a round that shows why the problem is not solved; if it is solved, of a right round
  std::string outcome, message;
  double residual = 0.0;  ///< measured by the verifier in that round; NaN if there is none
  /// Setup and solve, s: median over the rounds that ended right, or over all if none did; NaN if
  /// not known.
  double seconds = 0.0;
  int rounds = 0, right = 0, refuted = 0;
  int out_of_time = 0;  ///< rounds ended by a time limit
  /// Right in every round. Rounds out of time are ignored if they are fewer than half: then the
  /// machine is the likely cause.
  bool is_solved() const { return right + out_of_time == rounds && 2 * right > rounds; }
};

/// One problem that changed.
struct ProblemChange {
  std::string instance;
  ProblemState before, after;
  bool near_limit = false;  ///< it took more than half of the time limit before, and all of it now
  double ratio = 1.0;       ///< of the times, new over old
};

/// Problems of one suite with one solver (by its name in reports).
struct ComparedGroup {
  std::string suite, solver;
  int compared = 0;  ///< problems in both runs
  int only_before = 0, only_after = 0;
  int same_name = 0;  ///< of both: the other run has a problem with the same name but other content
  int wrong_alone = 0;  ///< of only_after: problems with refuted claims
  /// Number of problems that ended right (ProblemState::is_solved): solved, or proven to have no
  /// solution.
  int solved_before = 0, solved_after = 0;
  int proven_before = 0, proven_after = 0;  ///< the proven ones among these
  std::vector<ProblemChange> gained, lost;
  std::vector<ProblemChange> wrong;   ///< claims refuted by the verifier after, but not before
  std::vector<ProblemChange> uneven;  ///< right in some rounds of a build, but not in all
  std::vector<ProblemChange> slower, faster;  ///< single problems, the largest changes first
  GroupBand time;                             ///< of the problems that both builds solved
};

/// Facts about the run of a build.
struct RunFacts {
  std::string path;
  int rounds = 0, records = 0, repeated = 0;
  std::vector<std::string> programs, compilers, machines, limits;  ///< every value that occurs
};

/// The comparison of two runs.
struct Comparison {
  RunFacts before, after;
  /// other differences between the runs than the program, one line each
  std::vector<std::string> notes;
  double common = 1.0;  ///< see TimeJudgement
  std::vector<ComparedGroup> groups;
  /// Number of lost problems, and of problems with newly refuted claims, over all groups.
  int lost() const;
  int wrong() const;
};

/// Matches the records by suite, problem (name and hash), solver, label, settings, start, tolerance
/// and time limit.
/// @throws InputError if the runs have no record in common
Comparison compare_runs(const RunRounds& before, const RunRounds& after,
                        const BandOptions& options = {});

/// Text for a terminal: the runs, their differences, a table, every lost problem by name.
std::string comparison_text(const Comparison& comparison);

/// One JSON document with all of the comparison.
nlohmann::ordered_json comparison_json(const Comparison& comparison);

}  // namespace perp
