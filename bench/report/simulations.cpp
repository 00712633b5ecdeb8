#include <perp/bench/report/simulations.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <perp/bench/harness/foreign_json.hpp>
#include <perp/bench/harness/json_numbers.hpp>
#include <perp/bench/report/csv.hpp>
#include <perp/problems/io/files.hpp>
#include <perp/problems/json/json.hpp>
#include <set>

namespace perp {

namespace fs = std::filesystem;
using SortedJson = nlohmann::json;

namespace {

// Settings that a run of any scene has.
constexpr std::array<const char*, 6> kOwnSettings{"scene",  "driver", "formulation",
                                                  "solver", "h",      "tolerance"};
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

SortedJson read_object(const fs::path& path) {
  const SortedJson j = parse_foreign_json(read_text_file(path.string()), path.string());
  if (!j.is_object()) throw InputError(fmt::format("{}: not a JSON object", path.string()));
  return j;
}

std::string setting_text(const SortedJson& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:g}", value.get<double>());
  return value.dump();
}

// A string member; "" if there is none.
std::string string_member(const SortedJson& j, const char* name, const fs::path& path) {
  const auto it = j.find(name);
  if (it == j.end()) return "";
  if (!it->is_string())
    throw InputError(fmt::format("{}: field \"{}\": expected a string", path.string(), name));
  return it->get<std::string>();
}

// A number that may be left out, but is nothing else. @return NaN if there is none
double count_member(const SortedJson& j, const char* name, const fs::path& path) {
  if (j.contains(name) && !j[name].is_number())
    throw InputError(fmt::format("{}: field \"{}\": expected a number", path.string(), name));
  return number_member(j, name);
}

void read_run_json(const fs::path& path, SimulationRun& run) {
  const SortedJson j = read_object(path);
  run.scene = string_member(j, "scene", path);
  if (run.scene.empty())
    throw InputError(fmt::format("{}: field \"scene\": is missing", path.string()));
  for (const char* name : kOwnSettings) {
    if (j.contains(name)) run.settings[name] = setting_text(j[name]);
  }
  for (const char* name : {"parameters", "settings"}) {
    if (!j.contains(name) || !j[name].is_object()) continue;
    for (const auto& [key, value] : j[name].items()) run.settings[key] = setting_text(value);
  }
  run.complete = j.contains("complete") && j["complete"].is_boolean() && j["complete"].get<bool>();
  run.steps = count_member(j, "steps", path);
  run.failed = count_member(j, "failed_steps", path);
  run.relaxed = count_member(j, "relaxed_steps", path);
  run.wall =
      j.contains("times") && j["times"].is_object() ? number_member(j["times"], "wall") : kNaN;
  if (!run.complete && run.steps == 0) run.steps = run.wall = kNaN;  // killed, so never counted
  run.message = j.contains("message") ? string_member(j, "message", path) : "";
}

struct InitialEnergy {
  double t = kNaN, kinetic = 0.0, potential = 0.0;
  double first_kinetic = 0.0, first_potential = 0.0;  // sums over the bodies after the first step
};

InitialEnergy read_trajectory(const fs::path& path, SimulationRun& run) {
  InitialEnergy initial;
  std::map<std::string, std::size_t, std::less<>> place;
  double first = kNaN, second = kNaN;  // numbers of the first two steps
  run.damaged_lines += read_csv(
      path.string(),
      {"step", "t", "body", "px", "py", "pz", "kinetic", "potential", "wx", "wy", "wz"},
      [&](std::span<const std::string_view> row) {
        std::array<double, 10> v{};
        for (std::size_t k = 0, to = 0; k < row.size(); ++k) {
          if (k != 2 && !read_number(row[k], v[to++])) return false;
        }
        auto it = place.find(row[2]);
        if (it == place.end()) {
          it = place.emplace(row[2], run.paths.size()).first;
          run.paths.emplace_back().body = row[2];
        }
        BodyPath& body = run.paths[it->second];
        const std::array lists{&body.t, &body.x, &body.y, &body.z, &body.wx, &body.wy, &body.wz};
        constexpr std::array<std::size_t, 7> kFrom{1, 2, 3, 4, 7, 8, 9};
        for (std::size_t k = 0; k < lists.size(); ++k) lists[k]->push_back(v[kFrom[k]]);
        run.flat = run.flat && v[4] == 0.0;
        if (std::isnan(first)) {
          first = v[0];
          initial.t = v[1];
        } else if (std::isnan(second) && v[0] != first) {
          second = v[0];
        }
        if (v[0] == first) {
          initial.kinetic += v[5];
          initial.potential += v[6];
        } else if (v[0] == second) {
          initial.first_kinetic += v[5];
          initial.first_potential += v[6];
        }
        return true;
      });
  return initial;
}

// A step may have several rows: its stages and relaxed tries.
void read_steps(const fs::path& path, SimulationRun& run) {
  double step = kNaN;
  run.damaged_lines += read_csv(
      path.string(), {"step", "t", "iterations", "solve_s", "contacts", "kinetic", "potential"},
      [&](std::span<const std::string_view> row) {
        std::array<double, 7> v{};
        for (std::size_t k = 0; k < row.size(); ++k) {
          if (!read_number(row[k], v[k])) return false;
        }
        if (v[0] != step) {
          step = v[0];
          run.step_t.push_back(v[1]);
          for (auto* list : {&run.iterations, &run.solve_ms, &run.contacts}) list->push_back(0.0);
          run.t.push_back(v[1]);
          run.kinetic.push_back(0.0);
          run.total.push_back(0.0);
        }
        run.iterations.back() += v[2];
        run.solve_ms.back() += 1e3 * v[3];
        run.contacts.back() = std::max(run.contacts.back(), v[4]);
        run.kinetic.back() = v[5];
        run.total.back() = v[5] + v[6];
        return true;
      });
}

// steps.csv begins after the first step. Its energy includes springs, that of the bodies' rows does
// not. So the initial total is known only if the two agree after the first step.
void put_initial_state(const InitialEnergy& e, SimulationRun& run) {
  // An event at the beginning has the time of the initial state.
  if (std::isnan(e.t) || (!run.t.empty() && run.t.front() < e.t)) return;
  const double later = e.first_kinetic + e.first_potential;
  const bool no_springs =
      run.total.empty() || std::abs(run.total.front() - later) <= 1e-9 * (1 + std::abs(later));
  run.t.insert(run.t.begin(), e.t);
  run.kinetic.insert(run.kinetic.begin(), e.kinetic);
  run.total.insert(run.total.begin(), no_springs ? e.kinetic + e.potential : kNaN);
}

SimulationRun read_run(const fs::path& folder) {
  SimulationRun run;
  run.folder = folder.string();
  run.name = folder.filename().string();
  read_run_json(folder / "run.json", run);
  const InitialEnergy initial = read_trajectory(folder / "trajectory.csv", run);
  read_steps(folder / "steps.csv", run);
  put_initial_state(initial, run);
  return run;
}

// By its run.json alone: if another of its files is missing, reading it fails and names that file.
bool is_run(const fs::path& folder) {
  const fs::path path = folder / "run.json";
  if (!fs::is_regular_file(path)) return false;
  if (fs::is_regular_file(folder / "steps.csv")) return true;
  const auto j = nlohmann::json::parse(read_text_file(path.string()), nullptr, false);
  return j.is_object() && j.contains("scene") && j.contains("complete");
}

std::set<fs::path> run_folders(const std::vector<std::string>& paths) {
  std::set<fs::path> folders;
  for (const std::string& path : paths) {
    if (!fs::is_directory(path)) continue;
    const fs::path root = fs::canonical(path);
    if (is_run(root)) folders.insert(root);
    const auto options = fs::directory_options::skip_permission_denied;
    for (const auto& entry : fs::recursive_directory_iterator(root, options)) {
      if (entry.is_directory() && is_run(entry.path())) folders.insert(entry.path());
    }
  }
  return folders;
}

std::string value_of(const SimulationRun& run, const std::string& name) {
  const auto it = run.settings.find(name);
  return it == run.settings.end() ? "" : it->second;
}

// Sorts numbers by value, then words by letters.
bool is_before(const std::string& a, const std::string& b) {
  double x = 0.0, y = 0.0;
  const bool a_number = read_number(a, x), b_number = read_number(b, y);
  if (a_number && b_number) return x < y;
  return a_number != b_number ? a_number : a < b;
}

std::string label_of(const SimulationRun& run, const std::vector<std::string>& differs) {
  std::vector<std::string> parts;
  for (const std::string& name : differs) {
    const std::string value = value_of(run, name);
    if (name == "scene" || name == "formulation" || name == "solver" || name == "driver") {
      // For an engine, formulation and solver are the same; the name appears once.
      if (parts.empty() || parts.back() != value) parts.push_back(value);
    } else {
      parts.push_back(fmt::format("{} = {}{}", name, value, name == "h" ? " s" : ""));
    }
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// Parameters belong to scenes. They count only if runs of the same scene differ in them.
std::vector<std::string> differing_settings(const std::vector<SimulationRun>& runs) {
  // key: the setting, for parameters with the scene
  std::map<std::string, std::set<std::string>> values;
  std::set<std::string> names;
  for (const SimulationRun& run : runs) {
    for (const auto& [name, value] : run.settings) names.insert(name);
  }
  for (const SimulationRun& run : runs) {
    for (const std::string& name : names) {
      const bool own =
          std::find(kOwnSettings.begin(), kOwnSettings.end(), name) == kOwnSettings.end();
      values[own ? name + "\n" + run.scene : name].insert(value_of(run, name));
    }
  }
  std::set<std::string> differs;
  for (const auto& [name, list] : values) {
    if (list.size() > 1) differs.insert(name.substr(0, name.find('\n')));
  }
  return {differs.begin(), differs.end()};
}

void label(SimulationGroup& group) {
  group.differs = differing_settings(group.runs);
  std::stable_sort(group.runs.begin(), group.runs.end(),
                   [&](const SimulationRun& a, const SimulationRun& b) {
                     for (const std::string& name : group.differs) {
                       const std::string x = value_of(a, name), y = value_of(b, name);
                       if (x != y) return is_before(x, y);
                     }
                     return false;
                   });
  std::map<std::string, int> uses;
  for (SimulationRun& run : group.runs) {
    run.label = label_of(run, group.differs);
    ++uses[run.label];
  }
  for (SimulationRun& run : group.runs) {
    if (run.label.empty()) {
      run.label = run.name;
    } else if (uses[run.label] > 1) {
      run.label += fmt::format(" ({})", run.name);
    }
  }
}

[[noreturn]] void refuse(const fs::path& path, const char* field, const std::string& expected) {
  throw InputError(fmt::format("{}: field \"{}\": expected {}", path.string(), field, expected));
}

void read_reference(const SortedJson& j, const fs::path& path, Reference& reference) {
  const char* const what = "{\"label\", \"kinetic\"} or {\"label\", \"path\"}";
  if (!j.is_object()) refuse(path, "reference", what);
  reference.label = string_member(j, "label", path);
  if (!std::isnan(number_member(j, "kinetic"))) reference.kinetic = number_member(j, "kinetic");
  BodyPath& to = reference.path;
  if (j.contains("path")) {
    if (!j["path"].is_array()) refuse(path, "reference.path", "an array of [t, x, y, z]");
    for (const SortedJson& point : j["path"]) {
      const bool good = point.is_array() && point.size() == 4 &&
                        std::all_of(point.begin(), point.end(),
                                    [](const SortedJson& v) { return v.is_number(); }) &&
                        (to.t.empty() || point[0].get<double>() > to.t.back());
      if (!good) refuse(path, "reference.path", "an array of [t, x, y, z] with rising t");
      const std::array lists{&to.t, &to.x, &to.y, &to.z};
      for (std::size_t k = 0; k < 4; ++k) lists[k]->push_back(point[k].get<double>());
    }
  }
  if (!reference.kinetic && to.t.empty()) refuse(path, "reference", what);
}

struct DrawingName {
  const char* name;
  GroupDrawing drawing;
};
constexpr std::array<DrawingName, 14> kDrawings{{{"kinetic", GroupDrawing::kKinetic},
                                                 {"energy", GroupDrawing::kEnergy},
                                                 {"path", GroupDrawing::kPath},
                                                 {"distance", GroupDrawing::kDistance},
                                                 {"velocity", GroupDrawing::kVelocity},
                                                 {"spin", GroupDrawing::kSpin},
                                                 {"force", GroupDrawing::kForce},
                                                 {"friction", GroupDrawing::kFriction},
                                                 {"slip", GroupDrawing::kSlip},
                                                 {"joint", GroupDrawing::kJoint},
                                                 {"contacts", GroupDrawing::kContacts},
                                                 {"iterations", GroupDrawing::kIterations},
                                                 {"time", GroupDrawing::kTime},
                                                 {"infeasibility", GroupDrawing::kInfeasibility}}};

std::vector<GroupDrawing> read_drawings(const SortedJson& j, const fs::path& path) {
  std::vector<GroupDrawing> drawings;
  const std::string names = fmt::format(" {}", fmt::join(drawing_names(), " "));
  if (!j.is_array()) refuse(path, "draw", "an array of names:" + names);
  for (const SortedJson& name : j) {
    const auto it = std::find_if(kDrawings.begin(), kDrawings.end(),
                                 [&](const DrawingName& d) { return name == d.name; });
    if (it == kDrawings.end()) refuse(path, "draw", "names of:" + names);
    drawings.push_back(it->drawing);
  }
  return drawings;
}

void read_joint(const SortedJson& j, const fs::path& path, SimulationGroup& group) {
  const bool good = j.is_object() && j.contains("row") && j["row"].is_number_unsigned() &&
                    j["row"].get<std::uint64_t>() <= 1'000'000'000;
  if (!good) refuse(path, "joint", "{\"row\", \"label\"}");
  group.joint = j["row"].get<int>();
  group.joint_label = string_member(j, "label", path);
  group.drawings.push_back(GroupDrawing::kJoint);
  for (SimulationRun& run : group.runs) {
    const fs::path file = fs::path(run.folder) / "joints.csv";
    if (!fs::is_regular_file(file)) continue;
    run.damaged_lines +=
        read_csv(file.string(), {"t", "row", "theta"}, [&](std::span<const std::string_view> row) {
          std::array<double, 3> v{};
          for (std::size_t k = 0; k < row.size(); ++k) {
            if (!read_number(row[k], v[k])) return false;
          }
          if (v[1] == *group.joint) {
            run.joint_t.push_back(v[0]);
            run.joint_value.push_back(v[2]);
          }
          return true;
        });
  }
}

// Reads infeasibilities for a logarithmic axis; smaller ones than 1e-12 are put at its lower end.
void read_infeasibility(SimulationGroup& group) {
  constexpr double kLeast = 1e-12;
  for (SimulationRun& run : group.runs) {
    read_csv((fs::path(run.folder) / "steps.csv").string(), {"t", "infeasibility"},
             [&](std::span<const std::string_view> row) {
               double t = 0.0, value = 0.0;
               if (!read_number(row[0], t) || !read_number(row[1], value)) return false;
               run.infeasible_t.push_back(t);
               run.infeasible.push_back(std::max(value, kLeast));
               return true;
             });
  }
}

void read_velocities(SimulationGroup& group) {
  for (SimulationRun& run : group.runs) {
    std::map<std::string, BodyPath*, std::less<>> paths;
    for (BodyPath& path : run.paths) paths[path.body] = &path;
    read_csv((fs::path(run.folder) / "trajectory.csv").string(), {"body", "vx", "vy", "vz"},
             [&](std::span<const std::string_view> row) {
               std::array<double, 3> v{};
               for (std::size_t k = 0; k < v.size(); ++k) {
                 if (!read_number(row[k + 1], v[k])) return false;
               }
               const auto path = paths.find(row[0]);
               if (path == paths.end()) return true;
               path->second->vx.push_back(v[0]);
               path->second->vy.push_back(v[1]);
               path->second->vz.push_back(v[2]);
               return true;
             });
  }
}

void read_contacts(SimulationGroup& group) {
  for (SimulationRun& run : group.runs) {
    const fs::path file = fs::path(run.folder) / "contacts.csv";
    if (!fs::is_regular_file(file)) continue;
    const double begin =
        run.paths.empty() || run.paths.front().t.empty() ? 0.0 : run.paths.front().t.front();
    run.pairs = read_contact_histories(file.string(), begin, run.step_t, run.damaged_lines);
  }
}

void read_figure_json(SimulationGroup& group) {
  const fs::path path = fs::path(group.folder) / "figure.json";
  using enum GroupDrawing;
  group.drawings = {kKinetic, kEnergy, kPath, kContacts, kIterations, kTime};
  if (fs::is_regular_file(path)) {
    const SortedJson j = read_object(path);
    group.title = string_member(j, "title", path);
    group.caption = string_member(j, "caption", path);
    if (j.contains("reference")) read_reference(j["reference"], path, group.reference);
    if (!group.reference.path.t.empty())
      group.drawings.insert(group.drawings.begin() + 3, kDistance);
    if (j.contains("joint")) read_joint(j["joint"], path, group);
    if (j.contains("draw")) group.drawings = read_drawings(j["draw"], path);
    if (std::count(group.drawings.begin(), group.drawings.end(), kInfeasibility) > 0)
      read_infeasibility(group);
    if (std::count(group.drawings.begin(), group.drawings.end(), kVelocity) > 0)
      read_velocities(group);
    if (std::any_of(group.drawings.begin(), group.drawings.end(),
                    [](GroupDrawing d) { return d == kForce || d == kFriction || d == kSlip; }))
      read_contacts(group);
    const std::string view = string_member(j, "view", path);
    if (!view.empty() && view != "side" && view != "top")
      refuse(path, "view", "\"side\" or \"top\"");
    group.from_above = view == "top";
  }
  if (!group.title.empty()) return;
  std::set<std::string> scenes;
  for (const SimulationRun& run : group.runs) scenes.insert(run.scene);
  group.title =
      fmt::format("{} ({})", fmt::join(scenes, ", "), fs::path(group.folder).filename().string());
}

}  // namespace

std::vector<std::string> drawing_names() {
  std::vector<std::string> names;
  for (const DrawingName& d : kDrawings) names.emplace_back(d.name);
  return names;
}

bool holds_simulations(const std::string& path) { return !run_folders({path}).empty(); }

std::vector<SimulationGroup> read_simulations(const std::vector<std::string>& paths) {
  std::map<std::string, SimulationGroup> groups;
  for (const fs::path& folder : run_folders(paths)) {
    SimulationGroup& group = groups[folder.parent_path().string()];
    group.folder = folder.parent_path().string();
    group.runs.push_back(read_run(folder));
  }
  std::vector<SimulationGroup> result;
  for (auto& [folder, group] : groups) {
    label(group);
    read_figure_json(group);
    result.push_back(std::move(group));
  }
  return result;
}

std::vector<double> distance_from(const BodyPath& reference, const BodyPath& body,
                                  std::vector<double>& t) {
  std::vector<double> distances;
  t.clear();
  for (std::size_t k = 0; k < body.t.size(); ++k) {
    const auto it = std::lower_bound(reference.t.begin(), reference.t.end(), body.t[k]);
    if (it == reference.t.end() || (it == reference.t.begin() && *it > body.t[k])) continue;
    const auto j = static_cast<std::size_t>(it - reference.t.begin()), i = j > 0 ? j - 1 : 0;
    const double span = reference.t[j] - reference.t[i];
    const double f = span > 0 ? (body.t[k] - reference.t[i]) / span : 0.0;
    const auto off = [&](const std::vector<double>& path, const std::vector<double>& own) {
      return own[k] - (path[i] + f * (path[j] - path[i]));
    };
    t.push_back(body.t[k]);
    distances.push_back(
        std::hypot(off(reference.x, body.x), off(reference.y, body.y), off(reference.z, body.z)));
  }
  return distances;
}

double roughness(const BodyPath& body) {
  double sum = 0.0;
  for (std::size_t k = 2; k < body.t.size(); ++k) {
    const auto second = [k](const std::vector<double>& w) {
      return w[k] - 2 * w[k - 1] + w[k - 2];
    };
    sum += std::hypot(second(body.wx), second(body.wy), second(body.wz));
  }
  return sum;
}

}  // namespace perp
