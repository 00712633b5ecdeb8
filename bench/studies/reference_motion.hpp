// Motions that simulations are compared with: closed forms, or solutions of differential equations.
#pragma once

#include <array>
#include <perp/problems/json/field.hpp>
#include <vector>

namespace perp {

/// Points (t, x, y, z) of
///   {"until": T, "points": N, "x": X, "y": Y, "z": Z}
/// with expressions in t and, if there are "state": {"a": A0, ...}, "rates": {"a": RATE, ...} and
/// "steps", in the state, which the classical Runge-Kutta method integrates in so many steps.
/// @throws InputError naming the field
std::vector<std::array<double, 4>> reference_motion(const Field& field);

}  // namespace perp
