// The dual of an answer to a conic_qp that comes without one.
#pragma once

#include <optional>
#include <perp/problems/standard/conic_qp.hpp>

namespace perp {

/// A y in K* with y's = 0, s = b - Ax, that makes ||Px + c + A'y|| small. What s leaves open: of an
/// equation y is free; where a slack is above zero or within its cone it is 0, on the border of a
/// second-order cone on the ray (||x||, -x), at its tip anywhere in the cone. How near to zero
/// counts as zero is tried from the tolerance upwards, and the best verdict decides. The least
/// squares under these conditions are solved by active sets [LawsonHanson1995, Ch. 23].
/// @return nothing where the problem is too large for dense factorisations
std::optional<Vector> recover_dual(const ConicQp& problem, const Vector& x, double tolerance);

}  // namespace perp
