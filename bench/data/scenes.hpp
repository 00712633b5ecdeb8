// Scenes by the names that the command line accepts.
#pragma once

#include <map>
#include <perp/problems/scenes/scene.hpp>
#include <string>
#include <vector>

namespace perp {

/// A scene that comes with perp.
struct SceneEntry {
  std::string name, description, path;
  std::map<std::string, double> parameters;  ///< their values in the file
};
/// The scenes in problems/scenes, sorted by name. @throws InputError if a file cannot be read
std::vector<SceneEntry> list_scenes();

/// Whether it is the name of a scene, or the path of a file, which may be missing if it ends in
/// .json. @throws InputError as list_scenes()
bool is_scene(const std::string& what);

/// Loads a scene from a file with these values of its parameters. @throws InputError if that fails
Scene load_scene_file(const std::string& path, const std::map<std::string, double>& parameters);
/// Loads a scene of problems/scenes by its name. @throws InputError if that fails
Scene load_scene_by_name(const std::string& name, const std::map<std::string, double>& parameters);
/// Loads a scene by name or from a file. @throws InputError if that fails
Scene load_scene(const std::string& what, const std::map<std::string, double>& parameters);

}  // namespace perp
