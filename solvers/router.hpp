// Solving with verification: the verifier decides if a claim holds.
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

/// An answer that the verifier has checked.
struct VerifiedResult {
  Status status = Status::kUnsupported;   ///< kSolved only if the verifier agrees
  Status claimed = Status::kUnsupported;  ///< what the last solver said
  Answer answer;
  std::vector<PairStatus> basis;  ///< one per unknown if the method ends at a basis, else empty
  Verdict verdict;
  std::vector<Vector> solutions;
  std::optional<Certificate> certificate;
  std::vector<RouteStep> route;
  int iterations = 0;
  /// Seconds of all tries, from the problem in memory to the answer. Setup is all that is done
  /// before and between the methods: plans, making of solvers when their turn comes, refusals,
  /// compiling a graph, reductions, prepare(). Mapping an answer back belongs to the solve.
  /// Verification is in neither.
  double setup_time = 0.0, solve_time = 0.0;
  double verification_time = 0.0;
  bool refuted = false;    ///< the solver claimed something that the verifier contradicts
  bool own_times = false;  ///< the times are the solver's own (OwnTimes)
  /// The start that the solver was given and uses: "given", "stored" (the problem's own start) or
  /// "nothing".
  std::string_view start = "nothing";
  std::string message;
  std::vector<std::pair<std::string_view, double>> statistics;
};

/// The solver, its limits and settings, and the start.
struct SolveRequest {
  /// The name of a method, "auto", or an expression (docs/reference/strategies.md).
  std::string solver = "auto";
  Limits limits;
  /// Names and values. With an expression or auto each goes to every method in it that has a
  /// setting of that name. `reduction` replaces a friction problem by another statement of it, as
  /// the strategy reduce does.
  std::vector<std::pair<std::string, std::string>> settings;
  std::optional<Vector> start;
  std::optional<Vector> start_dual;                    ///< conic_qp: goes with the start
  std::optional<std::vector<PairStatus>> start_basis;  ///< lcp, mlcp: one per unknown
  bool stored_start = true;  ///< if no start is given, use the problem's own, if it has one
  /// Whether the caller has another way, as other starts or shorter steps: `auto` then gives up
  /// early.
  bool give_up_early = false;
  /// Whether the caller has no use for solutions beyond the radius of a certificate: then
  /// Status::kExcluded ends the tries. Else `auto` goes on.
  bool stop_if_excluded = false;
  /// Whether to check if the problem asks for anything at all (Verdict::vacuous).
  bool look_for_vacuous = true;
  /// Whether the verdict also has the residuals that the verifier does not judge by; else they are
  /// NaN.
  bool all_residuals = true;
  /// Tolerance of the verification, if it differs from the solver's.
  std::optional<double> verify_at;
  std::function<std::unique_ptr<Solver>(std::string_view)> make = make_solver;  ///< by name
};

/// The status of a claim after verification: solved if the verifier says so, wrong if only the
/// solver does, else the claim.
Status judge(Status claimed, const Verdict& verdict);

/// Prepares, solves and verifies with a given solver and the settings that it has. Its time limit
/// holds for preparing and solving together.
/// @param start n values; nullptr: the problem's own, if it has one and stored_start is true
/// @param tolerance of the verification; none: the solver's own
/// @throws std::invalid_argument as Solver::prepare() and Solver::solve()
VerifiedResult solve_with(Solver& solver, const Problem& problem, const Vector* start = nullptr,
                          Observer* observer = nullptr, std::optional<double> tolerance = {},
                          bool stored_start = true);

/// Solves one problem as the request says: a Session with one problem.
/// @throws std::invalid_argument for an unknown solver or setting, a malformed problem or start.
VerifiedResult solve_verified(const Problem& problem, const SolveRequest& request,
                              Observer* observer = nullptr);

}  // namespace perp
