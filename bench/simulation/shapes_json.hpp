// The shapes of a scene's bodies as JSON, for those who show a recorded run.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <perp/problems/scenes/scene.hpp>

namespace perp {

/// {"format": "perp-shapes", "version": 1, "dimension", "shapes": [...], "bodies": [{"name",
/// "fixed", "shape": index or null, "position": [x, y, z], "orientation": [w, x, y, z]}]};
/// positions are those at the beginning. A shape has the fields that a scene gives it, in metres;
/// polyhedra have `vertices` and `faces` (vertices, counterclockwise from outside), whatever they
/// were made of.
nlohmann::ordered_json shapes_to_json(const Scene& scene);

}  // namespace perp
