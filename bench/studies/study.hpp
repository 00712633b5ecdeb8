// Studies: what is run, drawn and claimed, as data (problems/io/schema/perp-study.schema.json).
#pragma once

#include <map>
#include <perp/bench/harness/runner.hpp>
#include <perp/bench/studies/table_rule.hpp>
#include <string>
#include <utility>
#include <vector>

namespace perp {

/// Solvers on suites.
struct StudyRun {
  std::string name;
  std::vector<std::string> suites;
  bool quick_entries = false;  ///< without the entries of tier "full"
  /// Solvers, starts, settings, label, tolerance, limits, repeats. Instances and folder are for
  /// whoever runs it.
  BenchRequest request;
};

/// A recorded simulation, by perp or by another engine (docs/reference/peers.md).
struct StudySimulation {
  std::string folder;  ///< GROUP/NAME
  std::string scene;
  std::string engine;                  ///< "": perp, else "ode" or "bullet"
  std::vector<std::string> arguments;  ///< of `perp simulate SCENE`, without --record
};

/// What is said and drawn beside the simulations of a group: the figure.json of
/// docs/reference/report.md.
struct StudyFigure {
  std::string group, json;
};

struct Study {
  std::string name, title, description, path;
  bool quick = false;
  std::vector<StudyRun> runs;
  std::vector<StudyFigure> figures;
  std::vector<StudySimulation> simulations;
  std::vector<ClaimTableRule> claims;
  std::vector<TableRule> tables;
};

/// Reads a study by name or file, and what it includes.
/// @param quick leaves out what is of tier "full"
/// @throws InputError naming file and field
Study read_study(const std::string& name_or_file, bool quick);

/// The studies that come with perp: name, title, path; by name.
std::vector<Study> list_studies();

}  // namespace perp
