// Steps of a verified solve, from which strategies are made.
#pragma once

#include <chrono>
#include <optional>
#include <perp/problems/standard/reductions.hpp>
#include <perp/solvers/router.hpp>
#include <string>
#include <utility>
#include <vector>

namespace perp {

/// The clock of all times.
using VerifiedClock = std::chrono::steady_clock;

/// Seconds from then to now.
double seconds_since(VerifiedClock::time_point start);

/// Seconds; the time limit that is passed on if nothing is left of one, since 0 means no limit.
constexpr double kLeastLimit = 1e-9;

/// "KEY=VALUE ..."
std::string text_of(const std::vector<std::pair<std::string, std::string>>& settings);

/// Whether the answer has the right lengths, so that it can be verified. @param size of z
bool has_answer(const ProblemData& data, int size, const Answer& answer);

/// Verifies the answer. The time counts as verification only.
/// @param all_residuals of an answer that is solved; else those that are not judged by are left out
/// (ResidualWork::complete_up_to)
void check_answer(const Problem& problem, double tolerance, VerifiedResult& result,
                  bool all_residuals = false);

/// Adds the residuals that check_answer() has left out, if any. The time counts as verification
/// only.
void complete_residuals(const Problem& problem, VerifiedResult& result);

/// Sets Verdict::vacuous: whether the problem asks for anything at all. The time counts as
/// verification only.
void see_if_vacuous(const Problem& problem, VerifiedResult& result);

/// Verifies and judges the claim of a solver and writes it to `out`.
/// @param started whether the solver was given a start
/// @param out must already hold the times of the call
/// @param all_residuals as check_answer()
void take_claim(const Solver& solver, const Problem& problem, const Result& result, bool started,
                double tolerance, VerifiedResult& out, bool all_residuals = false);

/// Checks what a certificate of type farkas or unbounded says of the problem as posed, in exact
/// arithmetic, and replaces it by the checked one. A secondary ray proves nothing.
/// @return the status that it justifies: infeasible, excluded, or ray for a checked `unbounded`;
/// nothing if it proves nothing of this problem or has the wrong length
std::optional<Status> check_certificate(const Problem& problem, Certificate& certificate);

/// Maps the answer to a reduction back and judges it for the problem as posed, at this tolerance.
/// @param all_residuals as check_answer()
void map_back(const Problem& problem, const Reduction& reduction, const Problem& reduced,
              double tolerance, VerifiedResult& result, bool all_residuals = false);

/// Adds seconds that were spent before the solver began, to the setup and to the first try.
void charge_setup(VerifiedResult& result, double seconds);

/// The step of a route that sums up a result: a try, or all tries of a strategy.
RouteStep route_step(const SharedText& name, const VerifiedResult& result);

/// Adds times, iterations and route of a part.
void add_costs(const VerifiedResult& part, VerifiedResult& whole);

}  // namespace perp
