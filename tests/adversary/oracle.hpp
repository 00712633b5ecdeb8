// What an answer is worth, in exact or nearly exact arithmetic: a second verifier, which shares
// nothing with perp's but the definitions of docs/reference/formats.md.
#pragma once

#include "real.hpp"

#include <optional>
#include <perp/problems/standard/verifier.hpp>

namespace perp::adversary {

/// The measure of an answer (Verdict::measure): rational arithmetic for lcp, mlcp and box_qp, 4608
/// bits for the others. Infinite if a number is not finite. Nothing for a graph whose rows cannot
/// be said to be held by a bound or not (|F_i| equals the tolerance), and for callbacks.
std::optional<Real> exact_measure(const ProblemData& problem, const Answer& answer,
                                  double tolerance);

/// Whether the linear constraints of a problem have a point, by the simplex method in rational
/// arithmetic: those of an lcp, mlcp or conic_qp without second-order cones. Nothing for others.
std::optional<bool> feasible(const ProblemData& problem);
/// A solution of a small problem, rounded to doubles; nothing if there is none. Looks at every
/// choice of "at the lower bound, at the upper one, or between" in rational arithmetic.
std::optional<Vector> some_solution(const Mlcp& problem);
/// Likewise the dual of a conic_qp: y in K*, Px + c + A'y = 0.
std::optional<bool> dual_feasible(const ProblemData& problem);

}  // namespace perp::adversary
