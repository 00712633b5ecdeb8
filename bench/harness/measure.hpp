// What the benchmark measures of one solver on one problem.
#pragma once

#include <functional>
#include <perp/solvers/router.hpp>
#include <vector>

namespace perp {

/// One solver on one problem.
struct Measurement {
  VerifiedResult result;  ///< of the run that counts; its times are medians of the repeats
  double asked = 0.0;     ///< the tolerance that the solver was given in that run
  double total = 0.0;     ///< median of setup and solve together
  std::vector<double> setups, solves;  ///< seconds of the run that counts and its repeats
};

/// Solves at most until an answer stands.
inline constexpr int kMostTolerances = 4;

/// Called after every run: `last` says that the answer stands, and only repeats are to come.
using AfterRun = std::function<void(const Measurement& so_far, bool stands)>;

/// Solves for a repeat, perhaps with what it has kept of the problems before.
using SolveOnce =
    std::function<VerifiedResult(int repeat, const Problem& problem, const SolveRequest& request)>;

/// Runs the solver at the tolerance of the request, and where its claim is refuted at a tenth, a
/// hundredth and a thousandth of it, until the verifier grants the answer at the tolerance of the
/// request or the solver gives up; a claim refuted at all of them stays `wrong`. The run that was
/// granted is repeated; every run goes from the problem in memory to the answer and has the time
/// limit for itself. A repeat that is not granted leaves no time. What was not solved is not
/// repeated.
/// @param solve each repeat has a number; nullptr: solve_verified
Measurement measure(const Problem& problem, SolveRequest request, int repeats,
                    const AfterRun& after_run = {}, const SolveOnce& solve = {});

/// The middle value; of an even number the larger of the two in the middle.
double median(std::vector<double> values);

}  // namespace perp
