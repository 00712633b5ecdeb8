// A claim and the verifier's word on it: what strategies are made of.
#pragma once

#include <chrono>
#include <perp/problems/standard/reductions.hpp>
#include <perp/solvers/router.hpp>
#include <string>
#include <utility>
#include <vector>

namespace perp {

using VerifiedClock = std::chrono::steady_clock;

double seconds_since(VerifiedClock::time_point start);

/// s: what is left of a time limit that is used up; 0 would be none.
constexpr double kLeastLimit = 1e-9;

/// "KEY=VALUE ..."
std::string text_of(const std::vector<std::pair<std::string, std::string>>& settings);

/// Whether there is something that can be verified.
bool has_answer(const ProblemData& data, int size, const Answer& answer);

/// Verifies the answer, outside the clock.
void check_answer(const Problem& problem, double tolerance, VerifiedResult& result);

/// Sees, outside the clock, whether the problem asks for anything at all.
void see_if_vacuous(const Problem& problem, VerifiedResult& result);

/// What a solver claims of a problem, judged. Times of the call stand in `out`.
/// @param started whether the solver was given a start
void take_claim(const Solver& solver, const Problem& problem, const Result& result, bool started,
                double tolerance, VerifiedResult& out);

/// What an answer to a reduction is worth for the problem as posed, at this tolerance.
void map_back(const Problem& problem, const Reduction& reduction, const Problem& reduced,
              double tolerance, VerifiedResult& result);

/// Adds what was done before a solver began to the clock of the only try.
void charge_setup(VerifiedResult& result, double seconds);

/// Times, iterations and route of a part.
void add_costs(const VerifiedResult& part, VerifiedResult& whole);

}  // namespace perp
