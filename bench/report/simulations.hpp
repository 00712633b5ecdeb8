// Recorded simulations: reading what `perp simulate --record` wrote, and what runs differ in.
#pragma once

#include <map>
#include <optional>
#include <perp/bench/report/contact_histories.hpp>
#include <string>
#include <vector>

namespace perp {

/// The path of a body's mass centre, m, and its angular velocity, rad/s; its velocity, m/s, if it
/// is drawn.
struct BodyPath {
  std::string body;
  std::vector<double> t, x, y, z, wx, wy, wz, vx, vy, vz;
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
  std::vector<double> joint_t, joint_value;      ///< of the joint row that the group asks for
  std::vector<double> infeasible_t, infeasible;  ///< of each row of steps.csv, if it is drawn; s, m
  std::vector<ContactHistory> pairs;             ///< if the group draws forces or slip
  bool flat = true;                              ///< every body stays in z = 0

  std::string label;  ///< what it differs in from the others of its group
};

/// What can be drawn of a group.
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

/// What the runs of a group are compared with.
struct Reference {
  std::string label;
  std::optional<double> kinetic;  ///< J, a line in the drawing of kinetic energy
  BodyPath path;                  ///< of the only body; empty where not given
};

/// Runs in one folder.
struct SimulationGroup {
  std::string folder, title, caption;
  Reference reference;
  bool from_above = false;   ///< paths in 3D: x and y in place of x and z
  std::optional<int> joint;  ///< row of joints.csv to be drawn
  std::string joint_label;
  std::vector<GroupDrawing> drawings;  ///< in their order; may be empty
  std::vector<std::string> differs;    ///< names of settings in which the runs differ
  std::vector<SimulationRun> runs;     ///< by these settings
};

/// Whether read_simulations finds a run at or below the path.
bool holds_simulations(const std::string& path);

/// Finds every folder at or below `path` with a run.json, a steps.csv and a trajectory.csv, reads
/// them, groups them by the folder they lie in, and labels them. A group's figure.json may give
/// "title", "caption", "reference": {"label", "kinetic", "path": [[t, x, y, z], ...]},
/// "view": "side" | "top", "joint": {"row", "label"} and "draw": a list of drawings.
/// @throws InputError for a run.json or figure.json that is no such thing, or a CSV file without
/// the columns. Damaged lines of CSV files are left out and counted.
std::vector<SimulationGroup> read_simulations(const std::vector<std::string>& paths);

/// Distance in m of a run's body from the reference path, at the run's times within it, the path
/// being linear between its points.
std::vector<double> distance_from(const BodyPath& reference, const BodyPath& body,
                                  std::vector<double>& t);

/// Sum of |second differences| of the angular velocity, rad/s: large where it jumps to and fro from
/// step to step, of order h where it is smooth.
double roughness(const BodyPath& body);

}  // namespace perp
