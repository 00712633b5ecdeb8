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

/// Selects the problems that are written.
struct ProblemSelection {
  /// Which problems.
  enum class Kind { kNone, kFailed, kRange, kAll } kind = Kind::kFailed;
  int first = 0, last = 0;
  /// Reads "none", "failed", "all" or "A:B" (steps, both included).
  /// @throws std::invalid_argument for any other text
  static ProblemSelection parse(const std::string& text);
};

/// What is recorded.
struct RecordRequest {
  ProblemSelection problems = {};
  bool sequence = false;  ///< write problems into one perp-sequence, problems.jsonl
  bool contacts = true;  ///< write contacts.csv, by far the largest file if there are many contacts
  std::string command = {};   ///< of a solver that is a program with its own name; else empty
  ProblemOrigin origin = {};  ///< for the source of the problems
};

/// Writes during the simulation. The files stay readable if the run is killed or the disk is full.
/// All members throw InputError if something cannot be written.
class SimulationRecorder {
 public:
  /// Makes the folder, removes the record of an earlier run in it (clear_run_folder) and writes the
  /// initial state as step 0.
  /// @param columns of the formulation, written at the end of the rows of steps.csv
  /// @throws InputError if the folder holds other files with the names of a record
  SimulationRecorder(const std::string& folder, const Scene& scene, const RecordRequest& request,
                     const std::vector<std::string>& columns = {});

  /// Has the problems of `request` that are selected recorded, and only those kept for it. The
  /// recorder must outlive the simulation.
  void record_stages(SimulationRequest& request);
  /// Whether a problem is selected.
  bool selects(int step, Status status) const;
  /// Records the problem of a stage, if it is selected. For SimulationRequest::on_stage.
  void stage(int step, const Stage& stage, const VerifiedResult& result);
  /// Records a step: bodies, contacts, joints, stages. For SimulationRequest::on_step.
  void step(const StepReport& report);
  /// Writes run.json. @param h step, s @param complete false while the run goes on
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
  int last_step_ = 0, number_ = 0;  // number_: of the last problem in the step
  AppendFile trajectory_, contacts_, joints_, steps_;
};

}  // namespace perp
