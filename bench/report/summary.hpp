// Tables from run records.
#pragma once

#include <map>
#include <perp/bench/harness/record.hpp>
#include <string>
#include <vector>

namespace perp {

/// One line of the main table: a group of instances (suite, family or folder, size) and a solver.
/// Times, residuals and counts are of the solved runs alone.
struct GroupSummary {
  std::string suite, group, solver;  ///< the solver's name in figures
  int size = 0;                      ///< of the family's unit; 0 for files
  int n_min = 0, n_max = 0;
  int runs = 0, solved = 0;
  int proven = 0;   ///< no solution, with a proof that was checked
  int gave_up = 0;  ///< on problems known to have no solution: no answer, no proof, no false claim
  int wrong = 0, unsupported = 0;
  int vacuous = 0;  ///< of the solved: problems that need no solver
  double median_ms = 0.0, low_ms = 0.0,
         high_ms = 0.0;          ///< setup and solve: median, 10 % and 90 % quantiles
  double solve_median_ms = 0.0;  ///< of the solve alone
  std::map<int, int> tightened;  ///< solved runs at 1/10, 1/100, 1/1000 of the tolerance
  double worst_residual = 0.0;
  double median_iterations = 0.0, median_factorisations = 0.0, median_ties = 0.0;
};

/// What is done in words: "3 at 1/10, 1 at 1/1000"; "" where all was solved at the tolerance
/// itself.
std::string tightened_text(const GroupSummary& group);

/// Runs that did not end as solved, by cause.
struct FailureSummary {
  std::string solver, outcome, group, message;
  int count = 0;
  std::vector<std::string> examples;  ///< a few instance names
};

/// Members of a family are grouped by it, problems of a sequence by that; other files by their
/// kind.
std::string group_of(const Record& record);

/// The name with its numbers padded by zeros, so that n=8 comes before n=30 where names are sorted.
std::string sorted_name(const std::string& name);

/// Whether the record's family is known to be infeasible or to have no solution.
bool has_known_end(const Record& record);

/// Infeasible or unbounded with a proof that was checked; not where the family has a solution.
bool is_proven(const Record& record);

/// Solved, or proven to have no solution.
bool is_right(const Record& record);

/// The problem is known to have no solution, and the solver stopped by itself without a claim.
bool gave_up(const Record& record);

/// Of records that tell of the same run (problem, solver, settings, start, tolerance, limits), be
/// it by another build of perp, the last.
std::vector<Record> one_each(const std::vector<Record>& records);

/// The records that solvers are compared by: of each suite those from zero where there are any.
std::vector<Record> main_records(const std::vector<Record>& records);

std::vector<GroupSummary> summarise(const std::vector<Record>& records);
std::vector<FailureSummary> failures(const std::vector<Record>& records);

/// The q-quantile (0..1) of the values, NaN where there are none; linear between neighbours.
double quantile(std::vector<double> values, double q);

/// The main table as text for a terminal; of more than 60 lines a line for each suite instead.
std::string summary_text(const std::vector<Record>& records);

}  // namespace perp
