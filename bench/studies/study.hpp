// Studies: runs, drawings and claims as data (problems/io/schema/perp-study.schema.json).
#pragma once

#include <map>
#include <perp/bench/harness/runner.hpp>
#include <perp/bench/harness/solvers.hpp>
#include <perp/bench/studies/table_rule.hpp>
#include <string>
#include <utility>
#include <vector>

namespace perp {

/// A run of solvers on suites.
struct StudyRun {
  std::string name;
  std::vector<std::string> suites;
  bool quick_entries = false;  ///< without the entries of tier "full"
  /// Solvers, starts, settings, label, tolerance, limits, repeats. Instances and folder are set by
  /// the code that runs it.
  BenchRequest request;
};

/// A recorded simulation, by perp or by another engine (docs/reference/peers.md).
struct StudySimulation {
  std::string folder;  ///< GROUP/NAME
  std::string scene;
  std::string engine;  ///< "" for perp, else the name of the engine ("ode", "bullet", ...)
  std::string formulation, solver = "auto", driver;  ///< formulation, driver: "" for the default
  std::map<std::string, double> parameters;          ///< of the scene
  SettingTexts settings;                             ///< of the solver
  std::vector<std::string> arguments;  ///< all of `perp simulate SCENE`, without --record
};

/// Title, caption and drawings of a group of simulations: the figure.json of
/// docs/reference/report.md.
struct StudyFigure {
  std::string group, json;
};

/// A study as read from its file.
struct Study {
  std::string name, title, description, path;
  bool quick = false;
  std::vector<StudyRun> runs;
  std::vector<StudyFigure> figures;
  std::vector<StudySimulation> simulations;
  std::vector<ClaimTableRule> claims;
  std::vector<TableRule> tables;
};

/// Reads a study by name or file, with all that it includes.
/// @param quick leaves out entries of tier "full"
/// @throws InputError with file and field if something is wrong
Study read_study(const std::string& name_or_file, bool quick);

/// The studies that come with perp (only name, title and path), sorted by name.
std::vector<Study> list_studies();

}  // namespace perp
