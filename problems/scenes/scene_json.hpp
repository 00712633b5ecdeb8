// Scenes from files (docs/reference/scenes.md).
#pragma once

#include <map>
#include <perp/problems/scenes/scene.hpp>
#include <string>
#include <string_view>

namespace perp {

/// Reads a scene file ("-": standard input), also packed with gzip. @throws InputError as
/// scene_from_text, or if the file cannot be read
Scene read_scene(const std::string& path, const std::map<std::string, double>& parameters = {});

/// Reads a scene from the text of a file. @param file name for messages; OBJ files are looked for
/// in its folder. @param parameters replace the defaults in the file
/// @throws InputError: one line that names file, field and fault (unknown parameters included).
Scene scene_from_text(std::string_view text, const std::string& file,
                      const std::map<std::string, double>& parameters = {});

}  // namespace perp
