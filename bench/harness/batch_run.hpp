// Batches beside one by one: how much faster, and whether the answers are the same.
#pragma once

#include <perp/solvers/router.hpp>
#include <span>
#include <string>
#include <vector>

namespace perp {

/// Seconds are medians; one by one and in batches takes turns, so that a machine that drifts hits
/// both.
struct BatchRun {
  std::string solver;
  std::size_t problems = 0, structures = 0;
  std::size_t solved = 0;     ///< granted by the verifier, in the batch
  std::size_t same_bits = 0;  ///< of each way the status and every number as one by one
  int threads = 1;
  double one_by_one = 0.0;  ///< s: a new solver for each problem, on one thread
  double batch = 0.0;       ///< s: solve_batch on one thread
  double threaded = 0.0;    ///< s: on `threads` threads
};

/// Solves the problems one by one, as a batch and, if there are several threads, as a batch on
/// them, each `repeats` times; verification is in all times.
/// @throws std::invalid_argument as solve_batch
BatchRun run_batch(std::span<const Problem> problems, const SolveRequest& request, int threads,
                   int repeats);

/// A line each, with a header.
std::string batch_csv(const std::vector<BatchRun>& runs);
std::string batch_text(const std::vector<BatchRun>& runs);

}  // namespace perp
