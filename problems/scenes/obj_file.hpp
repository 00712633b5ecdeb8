// Convex meshes from OBJ files.
#pragma once

#include <perp/problems/scenes/polyhedron.hpp>
#include <string>
#include <string_view>

namespace perp {

/// The solid whose faces an OBJ file gives: its `v` and `f` lines (v, v/vt, v//vn, v/vt/vn;
/// negative indices count from the end), without its other lines. Which way round the faces go does
/// not matter.
/// @throws std::invalid_argument: "line N: FAULT" where a line cannot be read; or where the faces
/// are not on the hull of their vertices to 1e-6 of its size.
Polyhedron polyhedron_from_obj(std::string_view text);

}  // namespace perp
