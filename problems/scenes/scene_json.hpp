// Scenes from files (docs/reference/scenes.md).
#pragma once

#include <map>
#include <perp/problems/scenes/scene.hpp>
#include <string>
#include <string_view>

namespace perp {

/// Reads a scene. @param parameters replace the defaults in the file
/// @throws InputError: one line that names file, field and fault (unknown parameters included).
Scene scene_from_text(std::string_view text, const std::string& file,
                      const std::map<std::string, double>& parameters = {});

}  // namespace perp
