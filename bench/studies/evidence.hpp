// Reads the results in a study's folder for its claims.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <perp/bench/harness/record.hpp>
#include <perp/bench/studies/study.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace perp {

/// Thrown if evidence is missing or not complete.
class MissingEvidence : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What the results of a run or a simulation depend on, as its file in runs/ keeps it: a study
/// whose text was changed afterwards has another plan.
nlohmann::ordered_json plan_of(const StudyRun& run);
nlohmann::ordered_json plan_of(const StudySimulation& simulation);

/// Reads files when they are needed. Only results that the study names count as evidence: all
/// records of a run, and simulations that ran to their end or failed by themselves, each by the
/// plan that the study has now.
class Evidence {
 public:
  Evidence(const Study& study, std::string folder);

  const Study& study() const { return study_; }

  /// Records of a run of the study. @throws MissingEvidence if one of them is not there
  std::vector<Record> records(const std::string& run) const;

  /// What is there of the runs of the study, by the plans that it had when they were begun.
  std::vector<Record> all_records() const;

  /// Simulations (GROUP/NAME) of the study that match a pattern. @throws MissingEvidence if there
  /// are none, or if one was not run, was cut off, or was run by another plan
  std::vector<std::string> simulations(const std::string& pattern) const;

  /// Numbers in run.json, by name ("parameters.N"); true and false are 1 and 0.
  std::map<std::string, double> summary(const std::string& simulation) const;

  /// Path of a CSV file of a simulation. @throws MissingEvidence if there is none
  std::string table(const std::string& simulation, const std::string& name) const;

 private:
  void read_all() const;

  const Study& study_;
  std::string folder_;
  mutable std::map<std::string, Record> records_;  // key: Record::key
  mutable bool read_ = false;
};

/// Paths inside a study's folder.
std::string keys_file(const std::string& folder, const std::string& run);
std::string note_file(const std::string& folder, const std::string& simulation);
std::string simulation_folder(const std::string& folder, const std::string& simulation);

/// State of a recorded simulation.
enum class SimulationState {
  kNone,    ///< not started
  kCutOff,  ///< started, but ended from outside
  kWhole    ///< ran to its end, or to a step that failed
};
/// @param folder that of the simulation
SimulationState state_of_simulation(const std::string& folder);

}  // namespace perp
