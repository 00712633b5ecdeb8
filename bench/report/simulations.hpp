// Recorded simulations: reading what `perp simulate --record` wrote, and what runs differ in.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace perp {

/// The path of a body's mass centre, m.
struct BodyPath {
  std::string body;
  std::vector<double> x, y, z;
};

/// One recorded run. Rows need not be evenly spaced in time.
struct SimulationRun {
  std::string folder, name;  ///< name: of the folder itself
  std::string scene;
  std::map<std::string, std::string> settings;  ///< scene, formulation, solver, h, parameters, …
  bool complete = false;
  double steps = 0, failed = 0, relaxed = 0, wall = 0;  ///< wall: s; NaN where it is not told
  std::string message;
  int damaged_lines = 0;  ///< of the CSV files, left out

  std::vector<double> t, kinetic, total;  ///< initial state first where it is known; s, J
  std::vector<double> step_t, contacts, iterations, solve_ms;  ///< one for each step
  std::vector<BodyPath> paths;
  bool flat = true;  ///< every body stays in z = 0

  std::string label;  ///< what it differs in from the others of its group
};

/// Runs in one folder.
struct SimulationGroup {
  std::string folder, title, caption;
  std::string reference_label;              ///< of a line in the drawing of kinetic energy
  std::optional<double> reference_kinetic;  ///< J
  std::vector<std::string> differs;         ///< names of settings in which the runs differ
  std::vector<SimulationRun> runs;          ///< by these settings
};

/// Whether read_simulations finds a run at or below the path.
bool holds_simulations(const std::string& path);

/// Finds every folder at or below `path` with a run.json, a steps.csv and a trajectory.csv, reads
/// them, groups them by the folder they lie in, and labels them. A group's figure.json may give
/// "title", "caption" and "reference": {"label", "kinetic"}.
/// @throws InputError for a run.json or figure.json that is no such thing, or a CSV file without
/// the columns. Damaged lines of CSV files are left out and counted.
std::vector<SimulationGroup> read_simulations(const std::vector<std::string>& paths);

}  // namespace perp
