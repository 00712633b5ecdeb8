// Solves a sequence of problems with one solver of any sort, and verifies every answer.
#pragma once

#include <map>
#include <memory>
#include <perp/problems/standard/problem.hpp>
#include <perp/solvers/router.hpp>
#include <perp/solvers/strategies/strategy.hpp>
#include <string>
#include <utility>
#include <vector>

namespace perp {

/// Solves one problem after the other with the solver of a request. Methods keep what they have
/// prepared: nothing is prepared again for the same problem, and from a problem of the same
/// structure (kind, sizes, patterns, which bounds are finite) only the values are taken. The
/// verifier always checks the problem as posed.
///
/// A method that does not take the kind gets an exact reduction of the problem, if there is one.
/// Approximate reductions are used only if the setting `reduction` asks for one: `convex`,
/// `pyramid` or `pyramid:EDGES` for a friction_contact. It also takes `fritz-john`, which is exact.
/// If the answer to a reduction does not solve the problem as posed, the status is `stalled`, not
/// `wrong`. Every try is in the route.
class Session {
 public:
  /// @param request only solver, settings and make are used here; the rest is taken from solve()
  /// @param once no second problem will come: the first one is not copied
  /// @throws std::invalid_argument for an unknown solver or setting
  explicit Session(const SolveRequest& request, bool once = false);

  /// @param request its start, start_dual, start_basis, limits, stored_start, give_up_early,
  /// look_for_vacuous and verify_at are used
  /// @return valid until the next call. @throws std::invalid_argument for a malformed problem or
  /// start
  const VerifiedResult& solve(const Problem& problem, const SolveRequest& request,
                              Observer* observer = nullptr);

 private:
  const Problem& keep(const Problem& problem);
  void keep_words(const Problem& problem);
  const Problem* compiled(const Problem& problem, Limits& limits, double& spent);
  VerifiedResult& too_late(const Problem& problem, const SolveRequest& request, const Start& start);

  std::string name_;
  std::unique_ptr<Strategy> solver_;
  bool once_ = false;
  Problem kept_;     // a copy of the last problem
  Version version_;  // of kept_
  Numbers numbers_;
  Outcome late_;
  Vacuous vacuous_ = Vacuous::kNo;  // of the problem of vacuous_version_, at vacuous_at_
  Version vacuous_version_;
  double vacuous_at_ = -1.0;
};

/// Whether two problems have the same structure: kind, sizes, patterns of matrices, which bounds
/// are finite or equal, cones, which mu are 0. Names do not count.
bool same_structure(const Problem& a, const Problem& b);
/// Whether they are the same to the bit. Names and starts do not count.
bool same_values(const Problem& a, const Problem& b);

}  // namespace perp
