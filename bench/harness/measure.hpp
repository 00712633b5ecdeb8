// Measures one solver on one problem for the benchmark.
#pragma once

#include <functional>
#include <perp/solvers/router.hpp>
#include <vector>

namespace perp {

/// What was measured.
struct Measurement {
  VerifiedResult result;  ///< of the run that counts; its times are medians of the repeats
  double asked = 0.0;     ///< tolerance given to the solver in that run
  double total = 0.0;     ///< s; median of the sum of setup and solve
  std::vector<double> setups, solves;  ///< s; of the run that counts and its repeats
  int failed_repeats = 0;              ///< repeats that did not end like the run that counts
};

/// Largest number of solves, with tighter and tighter tolerances, until an answer is final.
inline constexpr int kMostTolerances = 4;

/// How often the accepted run is made.
struct Repeats {
  int count = 1;  ///< runs whose times are measured
  /// A first run of less than .02 s is made once more, and its time does not count: in a new
  /// process it takes several times as long as later ones, which find code and memory in place.
  bool warm_up = false;
};

/// Called after every run. `stands` says that the answer is final and only repeats follow.
using AfterRun = std::function<void(const Measurement& so_far, bool stands)>;

/// Solves for the repeat of this number. It may use data kept from earlier problems.
using SolveOnce =
    std::function<VerifiedResult(int repeat, const Problem& problem, const SolveRequest& request)>;

/// Runs the solver at the tolerance of the request. If the verifier refutes its claim, the solver
/// runs again at a tenth, a hundredth and a thousandth of that tolerance, until the verifier
/// accepts the answer at the tolerance of the request or the solver gives up. If no answer is
/// accepted, the refuted claim stays `wrong`. The accepted run is repeated. Every run goes from the
/// problem in memory to the answer and has the whole time limit for itself. The time of a repeat
/// that is not accepted does not count. What is neither solved nor proven to have no solution is
/// not repeated.
/// @param solve empty: solve_verified
Measurement measure(const Problem& problem, SolveRequest request, const Repeats& repeats,
                    const AfterRun& after_run = {}, const SolveOnce& solve = {});

/// The median; of an even number of values the mean of the two in the middle; NaN if there are
/// none.
double median(std::vector<double> values);

}  // namespace perp
