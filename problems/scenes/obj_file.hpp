// Convex meshes from OBJ files.
#pragma once

#include <perp/problems/scenes/polyhedron.hpp>
#include <string>
#include <string_view>

namespace perp {

/// The convex solid whose faces an OBJ file gives. Only its `v` and `f` lines are read (corners v,
/// v/vt, v//vn, v/vt/vn; negative indices count from the end). The order of the corners of a face,
/// clockwise or counterclockwise, does not matter.
/// @throws std::invalid_argument "line N: FAULT" if a line cannot be read; also if a face lies
/// below the hull of all vertices by more than 1e-6 of its size, or as convex_hull()
Polyhedron polyhedron_from_obj(std::string_view text);

}  // namespace perp
