// The shapes of a scene's bodies as JSON, for displaying a recorded run.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <perp/problems/scenes/scene.hpp>

namespace perp {

/// {"format": "perp-shapes", "version": 1, "dimension", "shapes": [...], "bodies": [{"name",
/// "fixed", "shape": index or null, "position": [x, y, z], "orientation": [w, x, y, z]}]};
/// positions (m) and orientations are those at the beginning. A shape has its fields of scene
/// files, in metres. Polyhedra always have `vertices` and `faces` (indices of vertices,
/// counterclockwise from outside).
nlohmann::ordered_json shapes_to_json(const Scene& scene);

}  // namespace perp
