// A cheap way to see that a point is far from solving a problem.
#pragma once

#include <perp/problems/standard/problem.hpp>

namespace perp {

/// Whether a point certainly misses twice the tolerance of the verifier's measure. It is seen in
/// sums of doubles with bounds of their rounding errors, at a fraction of the cost of a verdict.
/// False says nothing: the point may be close, or sums of doubles overflow or cancel.
/// @param z as many values as the problem has unknowns, finite
bool clearly_misses(const Lcp& problem, const Vector& z, double tolerance);
/// @overload
bool clearly_misses(const Mlcp& problem, const Vector& z, double tolerance);
/// @overload
bool clearly_misses(const BoxQp& problem, const Vector& z, double tolerance);
/// By normal components only. With J and M only at z = 0.
bool clearly_misses(const FrictionContact& problem, const Vector& z, double tolerance);
/// With the dual y = 0.
bool clearly_misses(const ConicQp& problem, const Vector& z, double tolerance);

}  // namespace perp
