// Scenes by the names that the command line takes.
#pragma once

#include <map>
#include <perp/problems/scenes/scene.hpp>
#include <string>
#include <vector>

namespace perp {

struct SceneEntry {
  std::string name, description, path;
};
/// The scenes in problems/scenes, by name.
std::vector<SceneEntry> list_scenes();

Scene load_scene_file(const std::string& path, const std::map<std::string, double>& parameters);
Scene load_scene_by_name(const std::string& name, const std::map<std::string, double>& parameters);
/// A scene by name or from a file. @throws InputError
Scene load_scene(const std::string& what, const std::map<std::string, double>& parameters);

}  // namespace perp
