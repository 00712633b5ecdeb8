// Answers of engines beside perp's, on the same problems.
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
  std::string law, file;  ///< file: where the problem was written to
  int step = 0;
  double time = 0.0;
  std::string kind;
  int size = 0, contacts = 0;
  Verdict engine;
  VerifiedResult perp;
};

/// What an engine missed in a contact of a friction_contact problem: velocities and impulses by
/// both answers.
struct ContactRow {
  std::string name;
  double mu = 0.0;
  double normal_velocity[2], slip[2];  ///< of the engine, of perp; u_n and ||u_t||, m/s
  double normal_impulse[2], tangential_impulse[2];  ///< N s
};

struct ImportReport {
  std::string engine, model, solver;
  double h = 0.0, tolerance = 0.0;
  int first = 0, last = 0;  ///< steps
  std::vector<JudgedStep> steps;
  std::vector<std::pair<std::string, std::string>> refused;  ///< laws, and why; each once
  std::string worst_file;         ///< of the Coulomb problem that the engine misses most
  std::vector<ContactRow> worst;  ///< its contacts, those first that differ most
};

/// Judges a step's answers, solves its problems, and adds them to the report.
/// @param files of the problems, in their order
void judge_step(const EngineStep& step, const std::vector<std::string>& files,
                const SolveRequest& request, Observer* observer, ImportReport& report);

std::string import_report_text(const ImportReport& report);
nlohmann::ordered_json import_report_to_json(const ImportReport& report);

}  // namespace perp
