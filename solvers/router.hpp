// Solving with verification: whatever is claimed, the verifier has the last word.
#pragma once

#include <functional>
#include <perp/problems/standard/verifier.hpp>
#include <perp/solvers/core/shared_text.hpp>
#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/registry.hpp>
#include <string>
#include <utility>
#include <vector>

namespace perp {

/// An answer that the verifier has seen.
struct VerifiedResult {
  Status status = Status::kUnsupported;   ///< kSolved only where the verifier agrees
  Status claimed = Status::kUnsupported;  ///< what the last solver said
  Answer answer;
  std::vector<PairStatus> basis;  ///< of methods that end at one, else empty
  Verdict verdict;
  std::vector<Vector> solutions;
  std::optional<Certificate> certificate;
  std::vector<RouteStep> route;
  int iterations = 0;
  /// Seconds, of all tries: from the problem in memory to the answer. Setup is what is done before
  /// the solver begins: refusals, compiling a graph, reductions, prepare. Mapping an answer back
  /// belongs to the solve. Verification is in neither.
  double setup_time = 0.0, solve_time = 0.0;
  double verification_time = 0.0;
  bool refuted = false;    ///< the solver claimed an answer that the verifier does not grant
  bool own_times = false;  ///< a program has told its times itself (OwnTimes)
  /// What the solver was given and makes use of: "given", "stored" (the problem's own start) or
  /// "nothing".
  std::string_view start = "nothing";
  std::string message;
  std::vector<std::pair<std::string_view, double>> statistics;
};

/// What to solve with, and from where.
struct SolveRequest {
  /// The name of a method, "auto", or an expression (docs/reference/strategies.md).
  std::string solver = "auto";
  Limits limits;
  /// Of an expression or auto they go to every method in it that has one of the name. `reduction`
  /// states a friction problem anew, as the strategy reduce does.
  std::vector<std::pair<std::string, std::string>> settings;
  std::optional<Vector> start;
  std::optional<Vector> start_dual;                    ///< conic_qp: goes with the start
  std::optional<std::vector<PairStatus>> start_basis;  ///< lcp, mlcp: of every unknown
  bool stored_start = true;  ///< where no start is given the problem's own is used, if it has one
  /// Whether it is looked if the problem asks for anything at all (Verdict::vacuous).
  bool look_for_vacuous = true;
  /// Tolerance of the verification, where it is not the one that is asked of the solver.
  std::optional<double> verify_at;
  std::function<std::unique_ptr<Solver>(std::string_view)> make = make_solver;  ///< from a name
};

/// Puts claim and verification together: what a solver's claim amounts to.
Status judge(Status claimed, const Verdict& verdict);

/// Prepares, solves and verifies with a given solver; settings as they stand in it. Its time limit
/// is that of both.
/// @param start nullptr: the problem's own, if it has one and stored_start says so
/// @param tolerance of the verification; the solver's own where left out
VerifiedResult solve_with(Solver& solver, const Problem& problem, const Vector* start = nullptr,
                          Observer* observer = nullptr, std::optional<double> tolerance = {},
                          bool stored_start = true);

/// Solves once, as the request says: Session with one problem.
/// @throws std::invalid_argument: unknown solver or setting, malformed problem or start.
VerifiedResult solve_verified(const Problem& problem, const SolveRequest& request,
                              Observer* observer = nullptr);

}  // namespace perp
