// Solving with verification: one solver by name, or the router's choice ("auto").
#pragma once

#include <functional>
#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/registry.hpp>
#include <string>
#include <utility>
#include <vector>

namespace perp {

/// One try on the way to the answer.
struct RouteStep {
  std::string solver;  ///< with the reduction, if any: "lemke on box_qp as mlcp"
  Status status;       ///< after verification
  Status claimed;
  int iterations = 0;
  double time = 0.0;  ///< seconds, setup and solve
  std::string message;
  std::string settings;               ///< "KEY=VALUE ..." where they are not the usual ones
  double measure = Residuals::kNone;  ///< of its answer, by the verifier
};

/// An answer that the verifier has seen.
struct VerifiedResult {
  Status status = Status::kUnsupported;   ///< kSolved only where the verifier agrees
  Status claimed = Status::kUnsupported;  ///< what the last solver said
  Answer answer;
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
  std::vector<std::pair<std::string, double>> statistics;
};

/// What to solve with.
struct SolveRequest {
  std::string solver = "auto";
  Limits limits;
  /// Of the named solver; and `reduction`, which the router takes: see solve_verified.
  std::vector<std::pair<std::string, std::string>> settings;
  std::optional<Vector> start;
  std::optional<Vector> start_dual;  ///< conic_qp: goes with the start
  bool stored_start = true;  ///< where no start is given the problem's own is used, if it has one
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

/// As the request says. A named solver that does not take the kind gets an exact reduction of the
/// problem where there is one. "auto": the tries of attempts_for(), for linear complementarity
/// problems with answers that are all but right polished; a proof of infeasibility ends the list.
/// What "auto" returns is the best answer of its tries; the status tells how the best one ended, or
/// what ended them all (a proof, the time limit).
/// Every try is in the route, and it is always the problem as posed that is verified. Settings
/// given with "auto" are those of owner_of_settings(). Approximate reductions are taken only where
/// the setting `reduction` asks for one: `convex`, `pyramid` or `pyramid:EDGES` for a
/// friction_contact, which also has `fritz-john` (exact). An answer to one that does not solve the
/// problem as posed is `stalled`, not `wrong`.
/// @throws std::invalid_argument: unknown solver or setting, malformed problem or start.
VerifiedResult solve_verified(const Problem& problem, const SolveRequest& request,
                              Observer* observer = nullptr);

}  // namespace perp
