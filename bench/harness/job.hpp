// The work of one child process of the benchmark.
#pragma once

#include <functional>
#include <map>
#include <perp/bench/harness/runner.hpp>
#include <string>
#include <vector>

namespace perp {

/// One solve, which leaves one record.
struct Run {
  const Instance* instance = nullptr;
  std::string key;
  /// kReplay: solved and recorded already, but solved again without a record, because later runs
  /// start from its answer.
  enum class State { kToDo, kReplay, kDone } state = State::kToDo;
};

/// The runs of one process: a sequence in its order, a single run, or many runs of a program that
/// is kept running from problem to problem.
struct Job {
  std::string solver, settings_hash;
  StartFrom start = StartFrom::kZero;
  std::vector<Run> runs;

  /// Whether a run is still to do.
  bool has_work() const;
};

/// Marks the runs that must be solved again so that a job can go on at the place where it stopped.
void mark_replays(Job& job, const std::map<std::string, std::string>& outcomes);

/// Hash of everything that a solver's answers depend on: perp itself, and the program of a peer.
using ProgramHash = std::function<std::string(const std::string& solver)>;

/// The parts of the request that a solver's answers depend on, as text.
using SettingsText = std::function<std::string(const std::string& solver)>;

/// The jobs of the shard in order, without jobs that have nothing left to do. Shards deal out
/// problems, each with all its solvers and starts; a sequence counts as one.
/// @param outcomes of the runs that are recorded already, by key
/// @param skipped is increased by the number of runs that are recorded already
std::vector<Job> deal_jobs(const BenchRequest& request, const SettingsText& settings_text,
                           const ProgramHash& program_hash,
                           const std::map<std::string, std::string>& outcomes, int& skipped);

/// Runs in the child: solves, verifies and reports to the parent, one JSON object a line. For every
/// run that is not done it writes {"run": index}, then {"kind": .., "n": .., "contacts": ..}, then
/// {"part": true} after every solve (with the result as "answer" once only repeats are left), and
/// last the result (with "outcome"), except for a replay.
int run_job(const BenchRequest& request, const Job& job, int write_fd);

}  // namespace perp
