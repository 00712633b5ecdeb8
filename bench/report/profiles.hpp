// Profiles and comparisons of solvers over problems that all of them were given.
#pragma once

#include <limits>
#include <map>
#include <perp/bench/harness/record.hpp>
#include <string>
#include <utility>
#include <vector>

namespace perp {

/// How a record's solver is called in figures: its label, with settings and tolerance where records
/// of this solver (and label) differ in them. One name for each record, in their order.
std::vector<std::string> solver_names(const std::vector<Record>& records);

/// A step function: of the problems, the fraction y[k] has a measure of at most x[k].
struct Profile {
  std::string solver;
  std::vector<double> x, y;
};

struct ProfileSet {
  int problems = 0;  ///< that every solver was given, and that are not known to have no solution
  double largest = 0.0;  ///< the largest x of all profiles
  std::vector<Profile> profiles;
};

/// Performance profiles [DolanMore2002]: x is the ratio of a solver's time to that of the fastest
/// solver of the problem, 1 or more; who did not solve a problem never reaches it. Profiles begin
/// at x = 1. Medians of the solve alone; times below a microsecond count as one.
ProfileSet performance_profiles(const std::vector<Record>& records);

/// Accuracy profiles: x is the verifier's residual, solved or not; runs without one never count.
/// An exact zero is drawn at 1e-18.
ProfileSet accuracy_profiles(const std::vector<Record>& records);

/// The line of a family's size in the comparison of solvers.
struct ComparisonRow {
  struct Cell {
    int runs = 0, as_expected = 0, unsupported = 0;
    double median_ms = 0.0;  ///< of runs that ended as expected; NaN where there are none
  };
  std::string suite, group;
  int size = 0;  ///< of the family's unit; 0 for files and sequences
  int n_min = std::numeric_limits<int>::max(), n_max = 0;
  std::map<std::string, Cell> cells;  ///< by the solver's name in figures
};

/// By suite, family and size.
std::vector<ComparisonRow> comparison(const std::vector<Record>& records);

}  // namespace perp
