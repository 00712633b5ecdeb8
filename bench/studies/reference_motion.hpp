// Reference motions for simulations: closed forms, or solutions of differential equations.
#pragma once

#include <array>
#include <perp/problems/json/field.hpp>
#include <vector>

namespace perp {

/// Points (t, x, y, z) of
///   {"until": T, "points": N, "x": X, "y": Y, "z": Z}
/// with expressions X, Y, Z in t. If there are "state": {"a": A0, ...}, "rates": {"a": RATE, ...}
/// and "steps", they may use the state as well, which the classical Runge-Kutta method integrates
/// in so many steps. @throws InputError with the field if it is wrong
std::vector<std::array<double, 4>> reference_motion(const Field& field);

}  // namespace perp
