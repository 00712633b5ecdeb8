// Tables from run records.
#pragma once

#include <perp/bench/harness/record.hpp>
#include <string>
#include <vector>

namespace perp {

/// One line of the main table: a group of instances (suite, family or folder, size) and a solver.
struct GroupSummary {
  std::string suite, group, solver;  ///< the solver's label
  int size = 0;                      ///< of the family's unit; 0 for files
  int n_min = 0, n_max = 0;
  int runs = 0, solved = 0;
  int as_expected = 0;  ///< infeasible with certificate where the family is known to be so
  int wrong = 0, unsupported = 0;
  double median_ms = 0.0, low_ms = 0.0,
         high_ms = 0.0;  ///< of solve times: median, 10 % and 90 % quantiles; all runs that ended
  double worst_residual = 0.0;  ///< of solved ones
  double median_iterations = 0.0, median_factorisations = 0.0, median_ties = 0.0;
};

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

/// Solved, or where that cannot be, ended as the family's known facts say.
bool ended_as_expected(const Record& record);

/// The solver with its label, and where it did not start cold how.
std::string solver_label(const Record& record);

/// The records that solvers are compared by: of each suite the cold ones where there are any.
std::vector<Record> main_records(const std::vector<Record>& records);

std::vector<GroupSummary> summarise(const std::vector<Record>& records);
std::vector<FailureSummary> failures(const std::vector<Record>& records);

/// The q-quantile (0..1) of the values, NaN where there are none; linear between neighbours.
double quantile(std::vector<double> values, double q);

/// The main table as text for a terminal.
std::string summary_text(const std::vector<Record>& records);

}  // namespace perp
