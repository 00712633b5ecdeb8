// What one child process of the benchmark is given to do.
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
  /// kReplay: recorded and solved already; solved again, untimed, because later ones start there.
  enum class State { kToDo, kReplay, kDone } state = State::kToDo;
};

/// The runs of one process: a sequence in its order, a single run, or all runs of a program that is
/// kept from problem to problem.
struct Job {
  std::string solver, settings_hash;
  StartFrom start = StartFrom::kZero;
  std::vector<Run> runs;

  bool has_work() const;
};

/// Marks what is to be solved once more for a job to go on where it stopped.
void mark_replays(Job& job, const std::map<std::string, std::string>& outcomes);

/// Hash of what a solver's answers depend on: perp, and for a peer also the peer's program.
using ProgramHash = std::function<std::string(const std::string& solver)>;

/// What of the request a solver's answers depend on, as text.
using SettingsText = std::function<std::string(const std::string& solver)>;

/// The shard's jobs in order, without those that are all done.
/// @param outcomes of the runs that are recorded, by key
/// @param skipped counts the runs left out
std::vector<Job> deal_jobs(const BenchRequest& request, const SettingsText& settings_text,
                           const ProgramHash& program_hash,
                           const std::map<std::string, std::string>& outcomes, int& skipped);

/// In the child: solves, verifies and tells the parent, one JSON object a line. For every run that
/// is not done: {"run": index}, then {"kind": .., "n": .., "contacts": ..}, after every solve
/// {"part": true} (with the result as "answer" where only repeats are to come), then, unless it is
/// a replay, the result (with "outcome").
int run_job(const BenchRequest& request, const Job& job, int write_fd);

}  // namespace perp
