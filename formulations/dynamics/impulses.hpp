// Impulses of a scene: when they are given, and what they change.
#pragma once

#include <perp/formulations/dynamics/state.hpp>
#include <vector>

namespace perp {

/// How many contact points of a body, with all others, have closed gaps: at most 1e-4 of the radius
/// of the smaller body. A box on a plane: 1 on a corner, 2 on an edge, 4 on a face.
/// @throws CollisionError as find_contacts does
int touching_points(const Scene& scene, const State& state, int body);

/// Impulses of the scene that fall into a step of length h from a state: those whose time comes
/// before its end, or whose condition holds at its beginning, and which have not been given as
/// often as they may.
std::vector<char> impulses_due(const Scene& scene, const State& state, double h);

/// Generalised velocity at the beginning of a step of length h, its impulses given.
Vector velocity_after_impulses(const Scene& scene, const State& state,
                               const Coordinates& coordinates, double h);

}  // namespace perp
