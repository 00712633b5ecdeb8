// The benchmark: solves every instance with every solver, each in a child process of its own. The
// problems of a sequence are solved in one process, in their order.
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

/// The start of a solve, the same for every solver. kZero: no start is given; methods with a
/// starting point of their own use that. kStored: the start stored in the problem, or as kZero if
/// there is none. kWarm, in a sequence: the last answer of the same solver, or as kStored if there
/// is none.
enum class StartFrom { kZero, kStored, kWarm };

/// "zero", "stored" or "warm".
std::string to_string(StartFrom start);
/// Reads "zero", "stored", "warm" and "cold", the former name of "zero".
/// @throws std::invalid_argument for any other name
StartFrom start_from(const std::string& name);

/// What the benchmark runs.
struct BenchRequest {
  std::vector<Instance> instances;
  std::vector<std::string> solvers;
  std::vector<StartFrom> starts = {StartFrom::kZero};  ///< kWarm is for sequences only
  std::vector<std::pair<std::string, std::string>> settings;
  std::string label;  ///< reports add it to the solvers' names; may be empty
  double tolerance = 1e-8;
  double time_limit = 60.0;  ///< s; of one solve with its setup, and of each repeat
  double grace = 20.0;  ///< s; a solve is killed this long after 2.4 limits, unless it has ended
  double memory_limit_mb = 4096;  ///< resident memory of a solve or of the program that it runs
  int jobs = 1;
  int repeats = 3;  ///< runs of each problem that is solved
  int shard = 1,
      shards =
          1;  ///< this is shard 1 to `shards`; problems (a sequence is one) are dealt out in turn
  bool resume = false;     ///< keep existing records and run what is missing
  bool overwrite = false;  ///< replace existing records
  std::string folder;      ///< records.jsonl (records-I-of-N.jsonl with shards) goes here
  /// Makes a solver from a name in `solvers`; empty: make_any_solver. It is given the settings that
  /// settings_of() finds for the name.
  std::function<std::unique_ptr<Solver>(std::string_view)> make;
};

/// Numbers of runs: done now, skipped (recorded before), and solved of those done now.
struct BenchSummary {
  int runs = 0, skipped = 0, solved = 0;
  int interrupted = 0;  ///< signal that ended it; 0 if none
  std::string records_file;
};

/// The file for the records of this request, checked but not opened. @throws InputError as
/// RecordFile
RecordFile record_file(const BenchRequest& request);

/// The keys of all records of the request, of all shards, in their order.
std::vector<std::string> run_keys(const BenchRequest& request);

/// Called after each run with (done, total, instance, solver, outcome).
using BenchProgress =
    std::function<void(int, int, const std::string&, const std::string&, const std::string&)>;

/// Runs the sweep. A run ends as one of the statuses, timed_out, out_of_memory or crashed; nothing
/// that a solver does can end the sweep. If a process dies within a sequence, another one goes on
/// with the next problem. Records are appended as they come; Ctrl-C, SIGTERM and a full disk leave
/// a valid file. Each setting goes to the solvers that have it.
/// @throws InputError if the folder or a record cannot be written, or if the folder holds records
/// already and neither `resume` nor `overwrite` is set
BenchSummary run_benchmark(const BenchRequest& request, const BenchProgress& progress);

}  // namespace perp
