// The benchmark: every instance with every solver, each in a child process of its own.
#pragma once

#include <functional>
#include <perp/bench/harness/suite.hpp>
#include <string>
#include <utility>
#include <vector>

namespace perp {

struct BenchRequest {
  std::vector<Instance> instances;
  std::vector<std::string> solvers;
  std::vector<std::pair<std::string, std::string>> settings;
  double tolerance = 1e-8;
  double time_limit = 60.0;  ///< seconds, one solve
  double memory_limit_mb = 4096;
  int jobs = 1;
  int repeats = 3;
  int shard = 1, shards = 1;  ///< this one of so many; runs are dealt out in turn
  bool resume = false;        ///< keep records that are there and run what is missing
  std::string folder;         ///< records.jsonl (records-I-of-N.jsonl with shards) goes here
};

struct BenchSummary {
  int runs = 0, skipped = 0, solved = 0;
  bool interrupted = false;
  std::string records_file;
};

/// Runs the sweep. A run ends as one of the statuses, timed_out, out_of_memory or crashed; nothing
/// that a solver does can end the sweep. Records are appended as they come; Ctrl-C leaves a valid
/// file.
/// @param progress called after each run with (done, total, instance, solver, outcome)
/// @throws InputError where the folder cannot be written.
BenchSummary run_benchmark(
    const BenchRequest& request,
    const std::function<void(int, int, const std::string&, const std::string&, const std::string&)>&
        progress);

}  // namespace perp
