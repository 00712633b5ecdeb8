// What a study has left in its folder, as its claims see it.
#pragma once

#include <functional>
#include <map>
#include <perp/bench/harness/record.hpp>
#include <perp/bench/studies/study.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace perp {

/// Evidence that is not there, or not whole.
class MissingEvidence : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads what is asked for when it is asked for. Nothing is taken for evidence but what the study
/// names: all records of a run, and simulations that went to their end or failed by themselves.
class Evidence {
 public:
  Evidence(const Study& study, std::string folder);

  /// Records of a run of the study. @throws MissingEvidence if one of them is not there
  std::vector<Record> records(const std::string& run) const;

  /// Simulations of the study that match a pattern of GROUP/NAME. @throws MissingEvidence if there
  /// are none, or one was not run to its end
  std::vector<std::string> simulations(const std::string& pattern) const;

  /// Numbers in run.json, by name ("parameters.N"); true and false are 1 and 0.
  std::map<std::string, double> summary(const std::string& simulation) const;

  /// The place of a table of a simulation. @throws MissingEvidence
  std::string table(const std::string& simulation, const std::string& name) const;

 private:
  const Study& study_;
  std::string folder_;
  mutable std::map<std::string, Record> records_;  // by key
  mutable bool read_ = false;
};

/// Places within a study's folder.
std::string keys_file(const std::string& folder, const std::string& run);
std::string simulation_folder(const std::string& folder, const std::string& simulation);

/// What has become of a recorded simulation.
enum class SimulationState {
  kNone,    ///< it was not begun
  kCutOff,  ///< it was begun and ended from outside
  kWhole    ///< it went to its end, or to a step that failed
};
SimulationState state_of_simulation(const std::string& folder);

}  // namespace perp
