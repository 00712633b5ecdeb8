// Why a solver did not solve a problem.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <perp/bench/diagnosis/mend.hpp>
#include <perp/solvers/router.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perp {

/// One reason, as far as the evidence goes.
struct Cause {
  /// Of the problem: "infeasible", "not monotone", "badly scaled", "dependent rows", "not finite".
  /// Of the run: "refused", "wrong claim", "tolerance below rounding", "slow", "diverges", "stuck",
  /// "time limit", "ended".
  std::string_view what;
  std::string text;
  std::vector<int> rows;  ///< unknowns it is about
};

/// What a solver told while it ran, of the iterations in which it told anything: its residual, or,
/// if it never knew that, its merit.
struct Trace {
  std::string_view of = "nothing";  ///< "residual", "merit"
  std::vector<int> iterations;
  std::vector<double> values;
};

/// One solver on the problem.
struct SolverDiagnosis {
  std::string solver;
  VerifiedResult result;
  Trace trace;
  std::vector<Cause> causes;        ///< none if it is solved
  std::optional<Problem> smallest;  ///< what it still fails on, if that was asked for
};

struct Diagnosis {
  std::vector<Cause> causes;  ///< of the problem, whoever solves it
  std::vector<Mend> mends;    ///< if no solver solves it
  std::vector<SolverDiagnosis> solvers;
  bool solved = false;       ///< by one of them
  bool auto_solves = false;  ///< asked if none of them does
};

struct DiagnosisRequest {
  std::vector<std::string> solvers;
  SolveRequest solve;           ///< limits and make count
  double shrink_seconds = 5.0;  ///< for each solver that fails; 0: nothing is shrunk
};

/// Solves with each, looks at the problem if one fails, and at what would mend it if all do and
/// `auto` does, too.
Diagnosis diagnose(const Problem& problem, const DiagnosisRequest& request);

/// What is wrong with the problem whoever solves it. Sizes up to kLargestAnalysed.
std::vector<Cause> causes_in(const Problem& problem);

nlohmann::ordered_json diagnosis_to_json(const Problem& problem, const Diagnosis& diagnosis);
std::string diagnosis_text(const Problem& problem, const Diagnosis& diagnosis);

}  // namespace perp
