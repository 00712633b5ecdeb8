// Compares solving in batches with solving one by one: times, and whether the answers are the same.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <perp/solvers/router.hpp>
#include <span>
#include <string>
#include <vector>

namespace perp {

/// Times are medians. Solving one by one and in batches alternates, so that a drift of the machine
/// affects both.
struct BatchRun {
  std::string solver;
  std::size_t problems = 0, structures = 0;
  std::size_t solved = 0;   ///< accepted by the verifier, in the batch
  std::size_t refused = 0;  ///< the solver does not take them; their times are those of refusals
  std::string refusal;      ///< why the first of these is refused
  /// problems with the same status and exactly the same numbers in every way of solving
  std::size_t same_bits = 0;
  int threads = 1;
  double one_by_one = 0.0;  ///< s: a new solver for each problem, on one thread
  double batch = 0.0;       ///< s: solve_batch on one thread
  double threaded = 0.0;    ///< s: on `threads` threads
};

/// Solves the problems one by one, as a batch and, if `threads` > 1, as a batch on that many
/// threads; each of these `repeats` times. All times include verification.
/// @throws std::invalid_argument as solve_batch
BatchRun run_batch(std::span<const Problem> problems, const SolveRequest& request, int threads,
                   int repeats);

/// A header, then one line for each run.
std::string batch_csv(const std::vector<BatchRun>& runs);
/// The same as an array of objects, with "refusal": why the first is refused, or null.
nlohmann::ordered_json batch_json(const std::vector<BatchRun>& runs);
/// The same as a table for a terminal.
std::string batch_text(const std::vector<BatchRun>& runs);

}  // namespace perp
