// The measure of an answer if extended precision cannot decide on which side of the tolerance it
// is.
#pragma once

#include <optional>
#include <perp/problems/standard/problem.hpp>
#include <perp/problems/standard/residuals.hpp>
#include <perp/problems/standard/verifier.hpp>

namespace perp {

/// The measure, computed with more and more bits until it is sure on which side of the tolerance it
/// is, and rounded up. Nothing if the measure in extended precision is farther from the tolerance
/// than its own rounding error can be: then that measure decides. Rounding errors come from
/// operations that cannot be summed as if exactly (graphs in which terms cancel, projections on
/// cones, the inverse of a mass matrix) and from the last place of sums. Infinite if 4096 bits are
/// not enough. If the measure decides, memory is allocated only if sizes change.
/// @param measure in extended precision; may be NaN or infinite
/// @param work as evaluate_residuals() has left it for this answer; changed
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
