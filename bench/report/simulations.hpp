// Reads recorded simulations (`perp simulate --record`) and finds the settings in which they
// differ.
#pragma once

#include <map>
#include <optional>
#include <perp/bench/report/contact_histories.hpp>
#include <string>
#include <vector>

namespace perp {

/// Path of a body's mass centre (x, y, z in m; t in s), its angular velocity (wx, wy, wz in rad/s)
/// and, if it is drawn, its velocity (vx, vy, vz in m/s).
struct BodyPath {
  std::string body;
  std::vector<double> t, x, y, z, wx, wy, wz, vx, vy, vz;
};

/// One recorded run. Rows need not be evenly spaced in time.
struct SimulationRun {
  std::string folder, name;  ///< name: last part of the folder
  std::string scene;
  std::map<std::string, std::string> settings;  ///< scene, formulation, solver, h, parameters, …
  bool complete = false;
  double steps = 0, failed = 0, relaxed = 0, wall = 0;  ///< wall: s; NaN if not known
  std::string message;
  int damaged_lines = 0;  ///< lines of the CSV files that were left out

  std::vector<double> t, kinetic, total;  ///< s, J; begin with the initial state if it is known
  /// one value for each step; step_t: s
  std::vector<double> step_t, contacts, iterations, solve_ms;
  std::vector<BodyPath> paths;
  /// row of joints.csv that the group asks for; s, m or rad
  std::vector<double> joint_t, joint_value;
  /// for each row of steps.csv, if it is drawn; s, m
  std::vector<double> infeasible_t, infeasible;
  std::vector<ContactHistory> pairs;  ///< if the group draws forces or slip
  bool flat = true;                   ///< all bodies stay in z = 0

  std::string label;  ///< settings in which it differs from the other runs of its group
};

/// Drawings that a group can have.
enum class GroupDrawing {
  kKinetic,
  kEnergy,
  kPath,
  kDistance,
  kVelocity,
  kSpin,
  kForce,
  kFriction,
  kSlip,
  kJoint,
  kContacts,
  kIterations,
  kTime,
  kInfeasibility
};

/// Values to compare the runs of a group with.
struct Reference {
  std::string label;
  std::optional<double> kinetic;  ///< J, a line in the drawing of kinetic energy
  BodyPath path;                  ///< of the only body; empty if not given
};

/// The runs in one folder.
struct SimulationGroup {
  std::string folder, title, caption;
  Reference reference;
  bool from_above = false;   ///< draw paths in 3D in x and y instead of x and z
  std::optional<int> joint;  ///< row of joints.csv to draw
  std::string joint_label;
  std::vector<GroupDrawing> drawings;  ///< in their order; may be empty
  std::vector<std::string> differs;    ///< names of settings in which the runs differ
  std::vector<SimulationRun> runs;     ///< sorted by these settings
};

/// Whether read_simulations finds a run at or below the path.
bool holds_simulations(const std::string& path);

/// Finds every folder at or below the paths that has a run.json, a steps.csv and a trajectory.csv.
/// Reads these runs, groups them by their parent folder and labels them. A group's figure.json may
/// give "title", "caption", "reference": {"label", "kinetic", "path": [[t, x, y, z], ...]}, "view":
/// "side" | "top", "joint": {"row", "label"} and "draw": a list of drawings. Damaged lines of CSV
/// files are left out and counted.
/// @throws InputError if a run.json or figure.json is wrong or a CSV file lacks a column
std::vector<SimulationGroup> read_simulations(const std::vector<std::string>& paths);

/// The names that "draw" takes.
std::vector<std::string> drawing_names();

/// Distance in m of a run's body from the reference path, which is linear between its points.
/// @param t receives the times, s: those of the run within the time span of the reference
std::vector<double> distance_from(const BodyPath& reference, const BodyPath& body,
                                  std::vector<double>& t);

/// Sum of |second differences| of the angular velocity, rad/s: large if it jumps up and down from
/// step to step, of order h if it is smooth.
double roughness(const BodyPath& body);

}  // namespace perp
