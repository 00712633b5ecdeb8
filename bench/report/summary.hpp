// Tables made from run records.
#pragma once

#include <map>
#include <perp/bench/harness/record.hpp>
#include <string>
#include <vector>

namespace perp {

/// One line of the main table: a group of instances (suite, family or folder, size) and a solver.
/// Times, residuals and median counts are those of the solved runs only.
struct GroupSummary {
  std::string suite, group, solver;  ///< solver: its name in figures
  int size = 0;                      ///< in the unit of the family; 0 for files
  int n_min = 0, n_max = 0;
  int runs = 0, solved = 0;
  int proven = 0;  ///< runs that proved that there is no solution; the proof was checked
  /// runs without answer, proof or false claim on problems known to have no solution
  int gave_up = 0;
  int wrong = 0, unsupported = 0;
  int vacuous = 0;  ///< solved runs whose problems need no solver
  double median_ms = 0.0, low_ms = 0.0,
         high_ms = 0.0;          ///< setup and solve, ms: median, 10 % and 90 % quantiles
  double solve_median_ms = 0.0;  ///< of the solve without setup
  std::map<int, int> tightened;  ///< key 10, 100, 1000: solved runs that needed 1/10, 1/100, 1/1000
                                 ///< of the tolerance
  double worst_residual = 0.0;
  double median_iterations = 0.0, median_factorisations = 0.0, median_ties = 0.0;
};

/// `tightened` in words: "3 at 1/10, 1 at 1/1000"; "" if all runs were solved at the tolerance
/// itself.
std::string tightened_text(const GroupSummary& group);

/// Runs that did not end as solved, by cause.
struct FailureSummary {
  std::string solver, outcome, group, message;
  int count = 0;
  std::vector<std::string> examples;  ///< a few instance names
};

/// Group of a record: the family, or the sequence of its problem; for other files the kind.
std::string group_of(const Record& record);

/// The name with its numbers padded by zeros, so that n=8 is sorted before n=30.
std::string sorted_name(const std::string& name);

/// Whether the record's family is known to be infeasible or to have no solution.
bool has_known_end(const Record& record);

/// Infeasible or unbounded with a checked proof, unless the family is known to have a solution.
bool is_proven(const Record& record);

/// Solved, or proven to have no solution.
bool is_right(const Record& record);

/// Whether the problem is known to have no solution and the solver stopped by itself without a
/// claim. An answer with NaN that was called solved is a claim.
bool gave_up(const Record& record);

/// Of records of the same run (problem, solver, settings, start, tolerance, limits) only the one
/// written last, even if builds of perp or programs of this name differ. Of those that do not tell
/// when, the last in order counts.
std::vector<Record> one_each(const std::vector<Record>& records);

/// The records for comparing solvers: of each suite those with starts from zero if there are any.
std::vector<Record> main_records(const std::vector<Record>& records);

/// The lines of the main table.
std::vector<GroupSummary> summarise(const std::vector<Record>& records);
/// Runs that did not end as solved, grouped by cause.
std::vector<FailureSummary> failures(const std::vector<Record>& records);

/// The q-quantile of the values, 0 <= q <= 1, linear between neighbours; NaN if there are none.
double quantile(std::vector<double> values, double q);

/// The main table as text for a terminal. If it had more than 60 lines, one line for each suite
/// instead.
std::string summary_text(const std::vector<Record>& records);

}  // namespace perp
