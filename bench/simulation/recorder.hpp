// Records of a simulation: run.json, shapes.json, trajectory.csv, contacts.csv, joints.csv,
// steps.csv, problems/.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <perp/bench/simulation/append_file.hpp>
#include <perp/bench/simulation/problem_source.hpp>
#include <perp/bench/simulation/simulation.hpp>
#include <perp/problems/io/sequence.hpp>
#include <string>
#include <vector>

namespace perp {

/// Which problems are written.
struct ProblemSelection {
  enum class Kind { kNone, kFailed, kRange, kAll } kind = Kind::kFailed;
  int first = 0, last = 0;
  /// "none", "failed", "all" or "A:B" (steps, both included). @throws std::invalid_argument
  static ProblemSelection parse(const std::string& text);
};

struct RecordRequest {
  ProblemSelection problems = {};
  bool sequence = false;      ///< problems go into one perp-sequence, problems.jsonl
  bool contacts = true;       ///< contacts.csv, by far the largest file where there are many
  std::string command = {};   ///< of a solver that is a program with a name of its own, or empty
  ProblemOrigin origin = {};  ///< for the source of the problems
};

/// Writes as the simulation goes; what is written stays readable when the run is killed or the disk
/// is full. All members throw InputError where something cannot be written.
class SimulationRecorder {
 public:
  /// Makes the folder, removes what an earlier run recorded in it (clear_run_folder), and writes
  /// the initial state as step 0.
  /// @param columns of the formulation, written at the end of the rows of steps.csv
  /// @throws InputError where the folder holds other things of the same names
  SimulationRecorder(const std::string& folder, const Scene& scene, const RecordRequest& request,
                     const std::vector<std::string>& columns = {});

  void stage(int step, const Stage& stage, const VerifiedResult& result);
  void step(const StepReport& report);
  /// run.json; `complete` is false while the run goes on.
  void summary(const SimulationRequest& request, double h, const SimulationSummary& summary,
               bool complete);

 private:
  void write_bodies(int step, const State& state);
  void write_stages(const StepReport& report, double infeasibility);
  void write_run(nlohmann::ordered_json document) const;

  std::string folder_;
  const Scene& scene_;
  RecordRequest request_;
  std::size_t columns_;
  std::optional<SequenceWriter> sequence_;
  int last_step_ = 0, number_ = 0;  // of problems within a step
  AppendFile trajectory_, contacts_, joints_, steps_;
};

}  // namespace perp
