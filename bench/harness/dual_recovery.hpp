// Finds the dual of an answer to a conic_qp that has none.
#pragma once

#include <optional>
#include <perp/problems/standard/conic_qp.hpp>

namespace perp {

/// Finds a y in K* with y's = 0, s = b - Ax, that makes ||Px + c + A'y|| small. The slack s decides
/// which y are possible: for an equation y is free; if s is above zero or inside its cone, y is 0;
/// if s = (t, x) is on the border of a second-order cone, y is on the ray (||x||, -x); if s is at
/// the tip of the cone, y is anywhere in the dual cone. Several limits for "zero" are tried, from
/// the tolerance upwards, and the y with the best verdict is taken. The least-squares problems with
/// signs are solved by active sets [LawsonHanson1995, Ch. 23]; if the part of y at a tip ends
/// outside its cone, interior points solve them with the cones.
/// @return nothing if the problem is too large for dense factorisations
std::optional<Vector> recover_dual(const ConicQp& problem, const Vector& x, double tolerance);

}  // namespace perp
