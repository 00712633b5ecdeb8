// Two builds on the same problems: gained, lost, wrong, faster, slower (docs/how-to/compare.md).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <perp/bench/comparison/bands.hpp>
#include <perp/bench/comparison/run_rounds.hpp>
#include <string>
#include <vector>

namespace perp {

/// One problem in one of the builds.
struct ProblemState {
  std::string outcome,
      message;            ///< of a round that tells why it is not solved, else of a right one
  double residual = 0.0;  ///< the verifier's measure in that round; NaN: none
  /// Setup and solve, median over the rounds that ended right, else over all; NaN: not known.
  double seconds = 0.0;
  int rounds = 0, right = 0, refuted = 0;
  int out_of_time = 0;  ///< rounds that a limit of time ended
  /// Right in every round; out of time in fewer than half of them is the machine's doing.
  bool is_solved() const { return right + out_of_time == rounds && 2 * right > rounds; }
};

/// One problem that changed.
struct ProblemChange {
  std::string instance;
  ProblemState before, after;
  bool near_limit = false;  ///< it took more than half the time limit before, and all of it now
  double ratio = 1.0;       ///< of the times, new to old
};

/// Problems of one suite with one solver (as reports name it).
struct ComparedGroup {
  std::string suite, solver;
  int compared = 0;  ///< problems in both runs
  int only_before = 0, only_after = 0;
  int same_name = 0;  ///< of both: the problem has the same name in the other run and other content
  int wrong_alone = 0;  ///< of only_after: refuted claims
  /// Ended right (see ProblemState): solved, or proven to have no solution.
  int solved_before = 0, solved_after = 0;
  int proven_before = 0, proven_after = 0;  ///< of these the proven ones
  std::vector<ProblemChange> gained, lost;
  std::vector<ProblemChange> wrong;   ///< claims that the verifier refuted, and did not before
  std::vector<ProblemChange> uneven;  ///< right in some rounds of a build and not in others
  std::vector<ProblemChange> slower, faster;  ///< single problems, the largest changes first
  GroupBand time;                             ///< of the problems that both solved
};

/// What is to be known of a build's run.
struct RunFacts {
  std::string path;
  int rounds = 0, records = 0, repeated = 0;
  std::vector<std::string> programs, compilers, machines, limits;  ///< each of those that occur
};

struct Comparison {
  RunFacts before, after;
  std::vector<std::string>
      notes;            ///< what differs between the runs besides the program, a line each
  double common = 1.0;  ///< see TimeJudgement
  std::vector<ComparedGroup> groups;
  int lost() const;
  int wrong() const;
};

/// Joins the records by suite, problem (name and hash), solver, label, settings, start, tolerance
/// and time limit.
/// @throws InputError where no record is in both
Comparison compare_runs(const RunRounds& before, const RunRounds& after,
                        const BandOptions& options = {});

/// For a terminal: the runs, what differs, a table, every loss by name.
std::string comparison_text(const Comparison& comparison);

/// One document with all of it.
nlohmann::ordered_json comparison_json(const Comparison& comparison);

}  // namespace perp
