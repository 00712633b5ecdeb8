// The benchmark: every instance with every solver, each in a child process of its own; the problems
// of a sequence in one, in their order.
#pragma once

#include <functional>
#include <perp/bench/harness/suite.hpp>
#include <string>
#include <utility>
#include <vector>

namespace perp {

/// Where a solve starts, the same for every solver: at zero (no start is given; methods with a
/// starting point of their own take that), at the start that the problem holds (as kZero without
/// one), or, in a sequence, at this solver's own last answer (else as kStored).
enum class Start { kZero, kStored, kWarm };

/// "zero", "stored" or "warm".
std::string to_string(Start start);
/// Knows "cold", too, as kZero was called. @throws std::invalid_argument
Start start_from(const std::string& name);

struct BenchRequest {
  std::vector<Instance> instances;
  std::vector<std::string> solvers;
  std::vector<Start> starts = {Start::kZero};  ///< what is not in a sequence has no kWarm
  std::vector<std::pair<std::string, std::string>> settings;
  std::string label;  ///< what reports add to the solvers' names; empty: nothing
  double tolerance = 1e-8;
  double time_limit = 60.0;  ///< seconds of one solve with its setup, and of each repeat
  double memory_limit_mb = 4096;
  int jobs = 1;
  int repeats = 3;            ///< of what is solved
  int shard = 1, shards = 1;  ///< this one of so many; processes are dealt out in turn
  bool resume = false;        ///< keep records that are there and run what is missing
  std::string folder;         ///< records.jsonl (records-I-of-N.jsonl with shards) goes here
};

struct BenchSummary {
  int runs = 0, skipped = 0, solved = 0;
  bool interrupted = false;
  std::string records_file;
};

/// Called after each run with (done, total, instance, solver, outcome).
using BenchProgress =
    std::function<void(int, int, const std::string&, const std::string&, const std::string&)>;

/// Runs the sweep. A run ends as one of the statuses, timed_out, out_of_memory or crashed; nothing
/// that a solver does can end the sweep. Where a process dies within a sequence, another one goes
/// on behind the problem it died at. Records are appended as they come; Ctrl-C leaves a valid file.
/// @throws InputError where the folder cannot be written.
BenchSummary run_benchmark(const BenchRequest& request, const BenchProgress& progress);

}  // namespace perp
