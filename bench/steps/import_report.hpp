// Compares answers of engines with those of perp, on the same problems.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <perp/bench/peers/engine_step.hpp>
#include <perp/solvers/router.hpp>
#include <string>
#include <vector>

namespace perp {

/// A problem of a step with two answers, both judged by the verifier.
struct JudgedStep {
  std::string law, file;  ///< file: path of the written problem
  int step = 0;
  double time = 0.0;
  std::string kind;
  int size = 0, contacts = 0;
  Verdict engine;
  VerifiedResult perp;
};

/// Velocities and impulses of a contact of a friction_contact problem by both answers. They show
/// the error of the engine.
struct ContactRow {
  std::string name;
  double mu = 0.0;
  double normal_velocity[2], slip[2];  ///< of the engine, then of perp; u_n and ||u_t||, m/s
  double normal_impulse[2], tangential_impulse[2];  ///< of the engine, then of perp; N s
};

/// The report on imported steps.
struct ImportReport {
  std::string engine, model, solver;
  double h = 0.0, tolerance = 0.0;
  int first = 0, last = 0;  ///< numbers of the first and the last step
  std::vector<JudgedStep> steps;
  /// laws that do not apply, with the reasons; each once
  std::vector<std::pair<std::string, std::string>> refused;
  std::string worst_file;         ///< the Coulomb problem with the largest error of the engine
  std::vector<ContactRow> worst;  ///< its contacts, those with the largest differences first
};

/// Judges a step's answers, solves its problems, and adds them to the report.
/// @param files paths of the step's problems, in their order @param observer may be null
void judge_step(const EngineStep& step, const std::vector<std::string>& files,
                const SolveRequest& request, Observer* observer, ImportReport& report);

/// Text for a terminal.
std::string import_report_text(const ImportReport& report);
/// The report as JSON.
nlohmann::ordered_json import_report_to_json(const ImportReport& report);

}  // namespace perp
