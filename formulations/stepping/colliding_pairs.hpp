// The pairs of bodies that an implicit step looks at, and their nearest points.
#pragma once

#include <perp/formulations/dynamics/step_recorder.hpp>
#include <utility>
#include <vector>

namespace perp {

/// Pairs (a, b) of bodies that may touch, in the order of find_contacts: a half-space is b, else
/// the later body is a. Bodies of a joint, and those that fixed joints make one rigid body, do not.
/// @throws CollisionError if there are more bodies than every pair of them can be looked at
std::vector<std::pair<int, int>> colliding_pairs(const Scene& scene);

/// Whether the bounding spheres of two bodies meet; those of half-spaces are infinite.
bool can_overlap(const Scene& scene, const State& state, int a, int b);

/// Sets normal, tangent and nearest points of the bodies contact.a and contact.b, of which b may be
/// a half-space. @return the gap, m @throws CollisionError if it cannot be found
double nearest(const Scene& scene, const State& state, StartContact& contact);

}  // namespace perp
