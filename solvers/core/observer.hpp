// What a solver tells while it runs.
#pragma once

#include <limits>
#include <string_view>

namespace perp {

/// One iteration. NaN or -1: the number has no meaning for the method.
struct IterationRecord {
  int iteration = 0;
  std::string_view step_type;                                  ///< "pivot", "flip", "newton", ...
  double residual = std::numeric_limits<double>::quiet_NaN();  ///< natural residual, if known
  double merit =
      std::numeric_limits<double>::quiet_NaN();  ///< covering variable t for pivoting methods
  double step = std::numeric_limits<double>::quiet_NaN();  ///< step length
  int active_set_size = -1;  ///< number of basic (inactive-bound) unknowns
  int entering = -1;         ///< pivoting: index of the pair that enters; -1 for none
  int leaving = -1;          ///< pivoting: index of the pair that leaves; -1 for t
  int pivots = -1;           ///< so far, of methods whose iterations are not pivots
  int linear_solves = 0;     ///< so far
  int factorisations = 0;    ///< so far
};

/// Logging, traces, progress and interruption are all observers.
class Observer {
 public:
  virtual ~Observer() = default;
  /// @return false to stop the solve, which then ends as interrupted.
  virtual bool on_iteration(const IterationRecord& record) = 0;
};

}  // namespace perp
