// Reasons why a solver did not solve a problem.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <perp/bench/diagnosis/mend.hpp>
#include <perp/solvers/router.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perp {

/// One likely reason.
struct Cause {
  /// For the problem: "infeasible", "not monotone", "badly scaled", "dependent rows", "not finite".
  /// For the run: "refused", "wrong claim", "tolerance below rounding", "slow", "diverges",
  /// "stuck", "time limit", "ended".
  std::string_view what;
  std::string text;
  std::vector<int> rows;  ///< indices of the unknowns concerned
};

/// Values that a solver reported while it ran, for the iterations with a report: its residual, or
/// its merit if it never reported a residual.
struct Trace {
  std::string_view of = "nothing";  ///< "residual", "merit"
  std::vector<int> iterations;
  std::vector<double> values;
};

/// Result of one solver on the problem.
struct SolverDiagnosis {
  std::string solver;
  VerifiedResult result;
  Trace trace;
  std::vector<Cause> causes;  ///< empty if the problem is solved
  /// smallest problem found on which it still fails, if that was asked for
  std::optional<Problem> smallest;
};

/// Result of diagnose().
struct Diagnosis {
  std::vector<Cause> causes;  ///< in the problem itself, for any solver
  std::vector<Mend> mends;    ///< if no solver solves it
  std::vector<SolverDiagnosis> solvers;
  bool solved = false;              ///< by one of the solvers
  std::optional<bool> auto_solves;  ///< tried only if none of the solvers solves it
};

/// What to diagnose.
struct DiagnosisRequest {
  std::vector<std::string> solvers;
  SolveRequest solve;           ///< its solver is replaced by each of the above
  double shrink_seconds = 5.0;  ///< s, for each solver that fails; 0: no problem is shrunk
};

/// Solves with each solver. If one fails, looks for causes in the problem. If all fail and `auto`
/// does, too, looks for changes that would give the problem a solution.
Diagnosis diagnose(const Problem& problem, const DiagnosisRequest& request);

/// Causes in the problem itself, for any solver. Needs at most kLargestAnalysed unknowns.
std::vector<Cause> causes_in(const Problem& problem);

/// The perp-diagnosis document.
nlohmann::ordered_json diagnosis_to_json(const Problem& problem, const Diagnosis& diagnosis);
/// Text for a terminal.
std::string diagnosis_text(const Problem& problem, const Diagnosis& diagnosis);

}  // namespace perp
