// The measure of an answer if extended precision cannot tell on which side of the tolerance it is.
#pragma once

#include <optional>
#include <perp/problems/standard/problem.hpp>
#include <perp/problems/standard/residuals.hpp>
#include <perp/problems/standard/verifier.hpp>

namespace perp {

/// Judged again with more bits, until the side is sure, and rounded up; nothing if the measure that
/// was found in extended precision is farther from the tolerance than its own rounding can be.
/// Doubt comes of what cannot be summed as if exactly: graphs that cancel, projections on cones,
/// the inverse of a mass matrix; and sums are rounded in the last place. Infinite if 4000 bits do
/// not tell. Where there is no doubt, only other sizes allocate.
/// @param measure by extended precision; NaN and infinite ones are looked at, too
/// @param work as evaluate_residuals has left it at this point; changed
std::optional<double> precise_measure(const Lcp& problem, const Answer& answer, double tolerance,
                                      double measure, ResidualWork& work);
std::optional<double> precise_measure(const Mlcp& problem, const Answer& answer, double tolerance,
                                      double measure, ResidualWork& work);
std::optional<double> precise_measure(const BoxQp& problem, const Answer& answer, double tolerance,
                                      double measure, ResidualWork& work);
std::optional<double> precise_measure(const Mcp& problem, const Answer& answer, double tolerance,
                                      double measure, ResidualWork& work);
std::optional<double> precise_measure(const ConicQp& problem, const Answer& answer,
                                      double tolerance, double measure, ResidualWork& work);
std::optional<double> precise_measure(const FrictionContact& problem, const Answer& answer,
                                      double tolerance, double measure, ResidualWork& work);
std::optional<double> precise_measure(const ConvexContact& problem, const Answer& answer,
                                      double tolerance, double measure, ResidualWork& work);

}  // namespace perp
