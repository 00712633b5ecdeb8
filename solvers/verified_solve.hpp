// One solver on one problem, with the verifier's word: what the router and the strategies are made
// of.
#pragma once

#include <chrono>
#include <perp/solvers/router.hpp>
#include <string>
#include <utility>
#include <vector>

namespace perp {

using VerifiedClock = std::chrono::steady_clock;

double seconds_since(VerifiedClock::time_point start);

/// s: what is left of a time limit that is used up; 0 would be none.
constexpr double kLeastLimit = 1e-9;

/// The tolerance that the verifier is asked for.
double verified_at(const SolveRequest& request);

/// Whether there is something that can be verified.
bool has_answer(const ProblemData& data, int size, const Answer& answer);

/// Sees, outside the clock, whether the problem asks for anything at all.
void see_if_vacuous(const Problem& problem, VerifiedResult& result);

/// What a refusal is: no answer, one entry in the route.
VerifiedResult unsupported(const std::string& solver, std::string why, double seconds);

/// Adds what was done before a solver began to the clock of the only try.
void charge_setup(VerifiedResult& result, double seconds);

/// A method by its name, on an exact reduction of the problem if it does not take the kind.
/// @param request with the start that counts. @throws std::invalid_argument
VerifiedResult solve_by_name(const Problem& problem, const SolveRequest& request,
                             const std::string& name,
                             const std::vector<std::pair<std::string, std::string>>& settings,
                             Observer* observer);

/// All of the request on the reduction of this name. @throws std::invalid_argument
VerifiedResult solve_on_reduction(const Problem& problem, const SolveRequest& request,
                                  const std::string& reduction_name, Observer* observer);

/// Newton steps on the active set of a point, of an lcp, mlcp or box_qp; as an entry of the route.
VerifiedResult polish_point(const Problem& problem, const Vector& point,
                            const SolveRequest& request);

}  // namespace perp
