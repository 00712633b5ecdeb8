#include <perp/bench/data/scenes.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <perp/bench/data/data_files.hpp>
#include <perp/formulations/registry.hpp>
#include <perp/problems/json/json.hpp>
#include <perp/problems/scenes/scene_json.hpp>

namespace perp {

namespace fs = std::filesystem;

std::vector<SceneEntry> list_scenes() {
  std::vector<SceneEntry> scenes;
  const fs::path folder = data_root() / "problems" / "scenes";
  if (!fs::is_directory(folder)) return scenes;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    const Scene scene = read_scene(entry.path().string());
    scenes.push_back({scene.name, scene.description, entry.path().string(), scene.parameters});
  }
  std::sort(scenes.begin(), scenes.end(),
            [](const SceneEntry& a, const SceneEntry& b) { return a.name < b.name; });
  return scenes;
}

Scene load_scene_file(const std::string& path, const std::map<std::string, double>& parameters) {
  Scene scene = read_scene(path, parameters);
  try {
    make_formulation(default_formulation(scene));
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: field \"formulation\": {}", path, error.what()));
  }
  return scene;
}

Scene load_scene_by_name(const std::string& name, const std::map<std::string, double>& parameters) {
  // A file usually has the name of its scene. Trying it first saves reading all files.
  const fs::path likely = data_root() / "problems" / "scenes" / (name + ".json");
  if (name.find('/') == name.npos && fs::is_regular_file(likely)) {
    Scene scene = load_scene_file(likely.string(), parameters);
    if (scene.name == name) return scene;
  }
  std::vector<std::string> names;
  for (const SceneEntry& entry : list_scenes()) {
    if (entry.name == name) return load_scene_file(entry.path, parameters);
    names.push_back(entry.name);
  }
  throw InputError(
      fmt::format("{}: neither a file nor a scene; scenes are: {}", name, fmt::join(names, ", ")));
}

bool is_scene(const std::string& what) {
  if (fs::exists(what) || what.ends_with(".json")) return true;
  const std::vector<SceneEntry> scenes = list_scenes();
  return std::any_of(scenes.begin(), scenes.end(),
                     [&](const SceneEntry& entry) { return entry.name == what; });
}

Scene load_scene(const std::string& what, const std::map<std::string, double>& parameters) {
  return fs::is_regular_file(what) || what.ends_with(".json")
             ? load_scene_file(what, parameters)
             : load_scene_by_name(what, parameters);
}

}  // namespace perp
