// How a solve ended.
#pragma once

#include <string_view>

namespace perp {

/// `kSolved` is a solver's claim until the verifier has confirmed it; a claim that fails is
/// `kWrong`.
enum class Status {
  kSolved,
  kWrong,       ///< claimed solved, but the verifier disagrees
  kRay,         ///< Lemke's secondary ray, which proves nothing by itself; of a conic_qp a checked
                ///< direction along which the objective falls without end (certificate "unbounded")
  kInfeasible,  ///< no feasible point, with a proof in exact arithmetic
  kExcluded,    ///< no feasible point (or no feasible point of the dual) has a 1-norm below the
                ///< radius of the certificate, which proves nothing beyond
  kStationary,  ///< a minimum of the merit function that is no solution
  kIterationLimit,
  kTimeLimit,
  kStalled,
  kNumericalError,
  kInterrupted,  ///< an observer asked to stop
  kUnsupported,  ///< the solver does not take this problem
};

/// The name used in JSON: "solved", "iteration_limit", ...
std::string_view to_string(Status status);

}  // namespace perp
