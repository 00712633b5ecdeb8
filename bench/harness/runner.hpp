// The benchmark: every instance with every solver, each in a child process of its own; the problems
// of a sequence in one, in their order.
#pragma once

#include <functional>
#include <memory>
#include <perp/bench/harness/record_file.hpp>
#include <perp/bench/harness/suite.hpp>
#include <perp/solvers/core/solver.hpp>
#include <string>
#include <utility>
#include <vector>

namespace perp {

/// Where a solve starts, the same for every solver: at zero (no start is given; methods with a
/// starting point of their own take that), at the start that the problem holds (as kZero without
/// one), or, in a sequence, at this solver's own last answer (else as kStored).
enum class StartFrom { kZero, kStored, kWarm };

/// "zero", "stored" or "warm".
std::string to_string(StartFrom start);
/// Knows "cold", too, as kZero was called. @throws std::invalid_argument
StartFrom start_from(const std::string& name);

struct BenchRequest {
  std::vector<Instance> instances;
  std::vector<std::string> solvers;
  std::vector<StartFrom> starts = {StartFrom::kZero};  ///< what is not in a sequence has no kWarm
  std::vector<std::pair<std::string, std::string>> settings;
  std::string label;  ///< what reports add to the solvers' names; empty: nothing
  double tolerance = 1e-8;
  double time_limit = 60.0;  ///< seconds of one solve with its setup, and of each repeat
  double memory_limit_mb = 4096;  ///< resident, of a solve or of the program that it runs
  int jobs = 1;
  int repeats = 3;            ///< of what is solved
  int shard = 1, shards = 1;  ///< this one of so many; processes are dealt out in turn
  bool resume = false;        ///< keep records that are there and run what is missing
  bool overwrite = false;     ///< replace records that are there
  std::string folder;         ///< records.jsonl (records-I-of-N.jsonl with shards) goes here
  /// From a name of `solvers`; empty: make_any_solver. Settings are of those that it knows.
  std::function<std::unique_ptr<Solver>(std::string_view)> make;
};

struct BenchSummary {
  int runs = 0, skipped = 0, solved = 0;
  int interrupted = 0;  ///< the signal that ended it
  std::string records_file;
};

/// Where the records of this request go; it looks at what is there. @throws InputError as
/// RecordFile
RecordFile record_file(const BenchRequest& request);

/// The keys that the records of the whole request have, of all shards, in their order.
std::vector<std::string> run_keys(const BenchRequest& request);

/// Called after each run with (done, total, instance, solver, outcome).
using BenchProgress =
    std::function<void(int, int, const std::string&, const std::string&, const std::string&)>;

/// Runs the sweep. A run ends as one of the statuses, timed_out, out_of_memory or crashed; nothing
/// that a solver does can end the sweep. Where a process dies within a sequence, another one goes
/// on behind the problem it died at. Records are appended as they come; Ctrl-C, SIGTERM and a full
/// disk leave a valid file. Each setting goes to the solvers that have it.
/// @throws InputError where the folder or a record cannot be written, or holds records already and
/// neither `resume` nor `overwrite` says what to do about them.
BenchSummary run_benchmark(const BenchRequest& request, const BenchProgress& progress);

}  // namespace perp
