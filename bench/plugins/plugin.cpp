#include <perp/bench/plugins/plugin.hpp>

#include <dlfcn.h>
#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <perp/problems/json/json.hpp>
#include <perp/problems/standard/problem.hpp>
#include <perp/solvers/method_settings.hpp>

namespace perp {

namespace {

// of one library; with more, its function probably never returns NULL
constexpr int kMostSolvers = 100;

std::vector<std::unique_ptr<Plugin>>& loaded() {
  static std::vector<std::unique_ptr<Plugin>> list;
  return list;
}

bool is_name(const char* text, std::string_view more) {
  const std::string_view name = text ? text : "";
  const auto plain = [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || more.find(c) != more.npos;
  };
  return !name.empty() && std::isalpha(static_cast<unsigned char>(name.front())) &&
         std::all_of(name.begin(), name.end(), plain);
}

std::string fault_of_settings(const perp_plugin& p) {
  if (p.setting_count < 0 || (p.setting_count > 0 && (!p.settings || !p.set)))
    return "has settings, but no \"settings\" or no \"set\"";
  for (int i = 0; i < p.setting_count; ++i) {
    const perp_setting& s = p.settings[i];
    if (!is_name(s.name, "_")) return fmt::format("field \"settings[{}].name\": is no name", i);
    if (is_limit(s.name))
      return fmt::format("field \"settings[{}].name\": {} is a limit, which perp_request tells", i,
                         s.name);
    for (int k = 0; k < i; ++k) {
      if (std::string_view(p.settings[k].name) == s.name)
        return fmt::format("field \"settings[{}].name\": there is a setting {} already", i, s.name);
    }
    if (!s.meaning) return fmt::format("field \"settings[{}].meaning\": is missing", i);
    if (!(s.least <= s.value && s.value <= s.most))
      return fmt::format("field \"settings[{}].value\": is not between least and most", i);
  }
  return {};
}

// The fault in the description of a solver; empty if there is none.
std::string fault_of(const perp_plugin& p, const std::function<bool(std::string_view)>& is_taken) {
  // The other members can be read only if the version is the same.
  if (p.size < offsetof(perp_plugin, name) || p.version != PERP_PLUGIN_VERSION)
    return fmt::format("uses version {} of the interface; this perp needs version {}", p.version,
                       PERP_PLUGIN_VERSION);
  if (p.size < sizeof(perp_plugin))
    return fmt::format("field \"size\": is {}, but version {} has {}", p.size, p.version,
                       sizeof(perp_plugin));
  if (!is_name(p.name, ".-_"))
    return "field \"name\": must have letters, digits, '.', '_' and '-', a letter first";
  if (is_taken(p.name)) return fmt::format("field \"name\": there is a solver {} already", p.name);
  if (!p.summary) return "field \"summary\": is missing";
  if (!p.kinds || !*p.kinds) return "field \"kinds\": is missing";
  for (const char* const* kind = p.kinds; *kind; ++kind) {
    const auto& known = problem_kinds();
    if (std::find(known.begin(), known.end(), *kind) == known.end())
      return fmt::format("field \"kinds\": there is no kind \"{}\"", *kind);
  }
  if (!p.create || !p.destroy || !p.prepare || !p.solve)
    return "lacks one of create, destroy, prepare and solve";
  return fault_of_settings(p);
}

}  // namespace

const std::vector<std::unique_ptr<Plugin>>& plugins() { return loaded(); }

const Plugin* find_plugin(std::string_view name) {
  const auto it = std::find_if(loaded().begin(), loaded().end(),
                               [&](const auto& plugin) { return plugin->solver->name == name; });
  return it == loaded().end() ? nullptr : it->get();
}

void load_plugin(const std::string& file, const std::function<bool(std::string_view)>& is_taken) {
  // Without a slash the loader would search among the libraries of the system.
  const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
  std::error_code error;
  const std::string place = std::filesystem::canonical(path, error).string();
  if (error) throw InputError(fmt::format("{}: cannot be read ({})", file, error.message()));
  if (std::any_of(loaded().begin(), loaded().end(),
                  [&](const auto& plugin) { return plugin->file == place; }))
    return;
  void* library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw InputError(fmt::format("{}: cannot be loaded: {}", file, dlerror()));
  const auto solver_at =
      reinterpret_cast<const perp_plugin* (*)(int)>(dlsym(library, "perp_plugin_solver"));
  if (!solver_at)
    throw InputError(fmt::format("{}: does not export the function perp_plugin_solver", file));
  const auto told = [&](int i) {
    try {
      return solver_at(i);
    } catch (...) {  // it is foreign code: anything
      throw InputError(fmt::format("{}: perp_plugin_solver({}) threw an exception", file, i));
    }
  };
  for (int i = 0; const perp_plugin* solver = told(i); ++i) {
    if (i >= kMostSolvers)
      throw InputError(fmt::format("{}: perp_plugin_solver({}) is not NULL; there are too many",
                                   file, kMostSolvers));
    if (const std::string fault = fault_of(*solver, is_taken); !fault.empty())
      throw InputError(fmt::format("{}: solver {}: {}", file, i, fault));
    auto plugin = std::make_unique<Plugin>(Plugin{solver, place, {}});
    for (const char* const* kind = solver->kinds; *kind; ++kind) plugin->kinds.emplace_back(*kind);
    loaded().push_back(std::move(plugin));
  }
  if (!told(0)) throw InputError(fmt::format("{}: has no solver", file));
}

}  // namespace perp
