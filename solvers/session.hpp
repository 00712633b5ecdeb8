// A solver of any sort that is kept from problem to problem, with the verifier's word.
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

/// Solves one problem after the other by the solver of a request. Methods keep what they have
/// prepared: nothing is prepared again for the same problem, and of one with the same structure
/// (kind, sizes, patterns, which bounds are finite) only values are taken. What is verified is
/// always the problem as posed.
///
/// A method that does not take the kind gets an exact reduction of the problem if there is one.
/// Approximate ones are taken only if the setting `reduction` asks for one: `convex`, `pyramid` or
/// `pyramid:EDGES` for a friction_contact, which also has `fritz-john` (exact); an answer to one
/// that does not solve the problem as posed is `stalled`, not `wrong`. Every try is in the route.
class Session {
 public:
  /// @param request solver, settings and make count; the rest is that of solve().
  /// @param once no second problem will come: nothing is copied for it
  /// @throws std::invalid_argument: unknown solver or setting
  explicit Session(const SolveRequest& request, bool once = false);

  /// @param request start, limits, stored_start and verify_at count.
  /// @return what is valid until the next call. @throws std::invalid_argument: malformed problem or
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
  Version version_;  // of it
  Numbers numbers_;
  Outcome late_;
  Vacuous vacuous_ = Vacuous::kNo;  // of the problem of vacuous_version_, at vacuous_at_
  Version vacuous_version_;
  double vacuous_at_ = -1.0;
};

/// Whether two problems differ in values alone, names left aside: kind, sizes, patterns of
/// matrices, which bounds are finite or equal, cones, which mu are 0.
bool same_structure(const Problem& a, const Problem& b);
/// Whether they are the same to the bit, names and starts left aside.
bool same_values(const Problem& a, const Problem& b);

}  // namespace perp
