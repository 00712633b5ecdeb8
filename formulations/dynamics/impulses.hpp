// Impulses of a scene: when they act, and how they change velocities.
#pragma once

#include <perp/formulations/dynamics/state.hpp>
#include <vector>

namespace perp {

/// The number of contact points between a body and all others whose gaps are closed, that is, at
/// most 1e-4 of the radius of the smaller body. For a box on a plane it is 1 on a corner, 2 on an
/// edge, 4 on a face.
/// @throws CollisionError as find_contacts does
int touching_points(const Scene& scene, const State& state, int body);

/// For each impulse of the scene: 1 if it acts in the step of length h from this state, else 0. It
/// acts if its time is before the end of the step, or if its condition holds at the beginning of
/// the step, and if it has not acted as often as allowed. In an event (h = 0) it acts if its time
/// has come.
std::vector<char> impulses_due(const Scene& scene, const State& state, double h);

/// Generalised velocity at the beginning of a step of length h, after its impulses.
Vector velocity_after_impulses(const Scene& scene, const State& state,
                               const Coordinates& coordinates, double h);

}  // namespace perp
