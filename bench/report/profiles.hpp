// Profiles and comparisons of solvers over problems that all of them were given.
#pragma once

#include <limits>
#include <map>
#include <perp/bench/harness/record.hpp>
#include <string>
#include <utility>
#include <vector>

namespace perp {

/// Stands behind the name of a solver whose program tells its times itself.
inline constexpr char kOwnTimesMark = '*';

/// How a record's solver is called in figures: its label, its start where that is not zero,
/// settings where records of this solver (and label) differ in them, tolerance and limits where
/// records of the suite do. It says where a solver makes no use of the start, and has a mark where
/// its times are its own word. One name for each record, in their order.
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

/// Which time is compared: setup and solve, or the solve alone.
enum class TimeOf { kTotal, kSolve };

/// Performance profiles [DolanMore2002]: x is the ratio of a solver's time to that of the fastest
/// solver of the problem, 1 or more; who did not solve a problem never reaches it. Profiles begin
/// at x = 1. Medians of repeats; times below a microsecond count as one.
ProfileSet performance_profiles(const std::vector<Record>& records, TimeOf which = TimeOf::kTotal);

/// Accuracy profiles: x is the verifier's residual, solved or not; runs without one never count.
/// An exact zero is drawn at 1e-18.
ProfileSet accuracy_profiles(const std::vector<Record>& records);

/// The line of a family's size in the comparison of solvers.
struct ComparisonRow {
  struct Cell {
    int runs = 0, unsupported = 0;
    int right = 0;    ///< solved, or proven to have no solution
    int gave_up = 0;  ///< on problems known to have no solution
    /// Setup and solve, and the solve alone, of the runs that ended right; NaN where there are
    /// none.
    double median_ms = 0.0, solve_median_ms = 0.0;
  };
  std::string suite, group;
  int size = 0;  ///< of the family's unit; 0 for files and sequences
  int n_min = std::numeric_limits<int>::max(), n_max = 0;
  std::map<std::string, Cell> cells;  ///< by the solver's name in figures
};

/// By suite, family and size.
std::vector<ComparisonRow> comparison(const std::vector<Record>& records);

}  // namespace perp
