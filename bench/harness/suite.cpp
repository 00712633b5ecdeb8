#include <perp/bench/harness/suite.hpp>

#include <fmt/format.h>
#include <fnmatch.h>
#include <algorithm>
#include <filesystem>
#include <perp/bench/data/data_files.hpp>
#include <perp/bench/data/scenes.hpp>
#include <perp/bench/harness/scene_problems.hpp>
#include <perp/problems/families/family.hpp>
#include <perp/problems/io/files.hpp>
#include <perp/problems/io/problem_file.hpp>
#include <perp/problems/io/problem_json.hpp>
#include <perp/problems/io/sequence.hpp>

namespace perp {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxInstances = 100'000;  // of one suite
constexpr int kMaxSteps = 10'000;  // of a scene; they are all simulated and kept in memory
constexpr double kMaxSeed = 9007199254740991.0;  // 2^53 - 1: integers up to it are exact in JSON
constexpr std::size_t kLongestPattern = 1000;    // characters

bool is_problem_file(const fs::path& path) {
  const std::string name = path.filename().string();
  return is_sequence_file(name) || name.ends_with(".json") || name.ends_with(".json.gz") ||
         name.ends_with(".dat") || name.ends_with(".nl") || name.ends_with(".nl.gz") ||
         leads_parts(path.string());
}

// A path that is no file of one problem but means one: matrices, or a line of a sequence. It is
// named and hashed by its problem.
Instance instance_of_problem(const std::string& suite, const std::string& path) {
  const Problem problem = read_problem(path);
  Instance i;
  i.suite = suite;
  i.name = problem.name;
  i.path = path;
  i.hash = hash_text(problem_to_text(problem));
  return i;
}

// The name of a file without its endings.
std::string stem_of(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.substr(0, std::min(name.find(".json"), name.rfind('.')));
}

Instance instance_of_file(const std::string& suite, const fs::path& path) {
  read_problem(path.string());  // so that bad input ends the command now and not a run later
  Instance i;
  i.suite = suite;
  i.name = stem_of(path);
  i.path = path.string();
  i.hash = hash_text(read_text_file(path.string()));
  return i;
}

// The common facts of the problems of a sequence.
struct SequenceFacts {
  std::string suite, name, path;
};

void add_sequence(const SequenceFacts& facts, std::vector<Problem> problems,
                  std::vector<Instance>& result) {
  int position = 0;
  for (Problem& problem : problems) {
    Instance i;
    i.suite = facts.suite;
    i.sequence = facts.name;
    i.position = ++position;
    i.name = problem.name.empty() ? fmt::format("{}-{}", facts.name, position) : problem.name;
    i.path = facts.path;
    i.hash = hash_text(problem_to_text(problem));
    i.made = std::make_shared<const Problem>(std::move(problem));
    result.push_back(std::move(i));
  }
}

// @param root this folder is left out of the names of sequences
void add_file(const std::string& suite, const fs::path& path, const fs::path& root,
              std::vector<Instance>& result) {
  if (is_in_parts(path.string())) {
    result.push_back(instance_of_problem(suite, path.string()));
    return;
  }
  if (!is_sequence_file(path.string())) {
    result.push_back(instance_of_file(suite, path));
    return;
  }
  const fs::path name = (path.parent_path() / stem_of(path)).lexically_relative(root);
  add_sequence({suite, name.string(), path.string()}, read_sequence(path.string()), result);
}

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  const auto options = fs::directory_options::skip_permission_denied;
  std::error_code unknown;  // ignored: a file that cannot be accessed is no problem file
  for (const auto& entry : fs::recursive_directory_iterator(folder, options)) {
    if (is_problem_file(entry.path()) && entry.is_regular_file(unknown))
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// How far a suite is read: its text only, or also its files, with its scenes simulated.
enum class Depth { kText, kProblems };

// Reads a suite file. Errors name file and field.
class SuiteReader {
 public:
  /// @param notes gets remarks for the reader of a report, one line each; may be null
  SuiteReader(const std::string& path, bool quick, Depth depth,
              std::vector<std::string>* notes = nullptr)
      : path_(path),
        quick_(quick),
        depth_(depth),
        notes_(notes),
        document_(json::parse(read_text_file(path), path)) {
    if (text(document_, "format") != "perp-suite") fail("format", "expected \"perp-suite\"");
    if (integer(document_, "version") != 1)
      fail("version", "unknown version; this program reads version 1");
    for (const char* field : {"name", "description"}) {
      const std::string given = text(document_, field);
      if (std::any_of(given.begin(), given.end(), [](unsigned char c) { return c < 0x20; }))
        fail(field, "has control characters");
    }
    only(document_, {"format", "version", "name", "description", "entries"});
  }

  std::string name() const { return text(document_, "name"); }
  std::string description() const { return text(document_, "description"); }

  std::vector<Instance> instances() const {
    std::vector<Instance> result;
    const auto* entries = field(document_, "entries").get_if<json::Array>();
    const auto* none = field(document_, "entries").get_if<json::Numbers>();
    if (none && none->values.empty()) return result;
    if (!entries) fail("entries", "expected an array of objects");
    for (const json::Value& entry : *entries) {
      if (const json::Value* tier = entry.find("tier")) {
        const auto* word = tier->get_if<std::string>();
        if (!word || (*word != "quick" && *word != "full"))
          fail("tier", "expected \"quick\" or \"full\"");
        if (quick_ && *word == "full") continue;
      }
      if (entry.find("files")) {
        only(entry, {"files", "licence", "licence_file", "origin", "tier"});
        add_files(entry, result);
      } else if (entry.find("scene")) {
        only(entry, {"scene", "parameters", "formulation", "driver", "step", "steps", "tier"});
        add_scene(entry, result);
      } else {
        only(entry, {"family", "members", "sizes", "seeds", "parameters", "tier"});
        add_family(entry, result);
      }
      check_room(result.size());
    }
    return result;
  }

 private:
  [[noreturn]] void fail(std::string_view name, std::string_view fault) const {
    throw InputError(fmt::format("{}: field \"{}\": {}", path_, name, fault));
  }
  const json::Value& field(const json::Value& object, std::string_view name) const {
    const json::Value* value = object.find(name);
    if (!value) fail(name, "is missing");
    return *value;
  }
  std::string text(const json::Value& object, std::string_view name) const {
    const auto* s = field(object, name).get_if<std::string>();
    if (!s) fail(name, "expected a string");
    return *s;
  }
  std::int64_t integer(const json::Value& object, std::string_view name) const {
    const auto* i = field(object, name).get_if<std::int64_t>();
    if (!i) fail(name, "expected an integer");
    return *i;
  }
  std::vector<double> integers(const json::Value& object, std::string_view name) const {
    const auto* numbers = field(object, name).get_if<json::Numbers>();
    if (!numbers || !numbers->integral) fail(name, "expected integers");
    return numbers->values;
  }
  std::vector<std::string> strings(const json::Value& object, std::string_view name) const {
    std::vector<std::string> result;
    const auto* items = field(object, name).get_if<json::Array>();
    for (std::size_t k = 0; items && k < items->size(); ++k) {
      if (const auto* item = (*items)[k].get_if<std::string>()) result.push_back(*item);
    }
    if (!items || result.size() != items->size()) fail(name, "expected an array of patterns");
    return result;
  }
  void only(const json::Value& object, const std::vector<std::string_view>& allowed) const {
    const auto* members = object.get_if<json::Object>();
    if (!members) fail("entries", "expected an array of objects");
    for (const json::Member& m : *members) {
      const bool known = std::find(allowed.begin(), allowed.end(), m.first) != allowed.end();
      if (!known && !m.first.starts_with("x-")) fail(m.first, "unknown field");
    }
  }

  void check_room(std::size_t instances) const {
    if (instances > kMaxInstances)
      fail("entries", fmt::format("more than {} instances in all", kMaxInstances));
  }

  // Folders in which files and scenes are searched: that of the suite, then problems/ of the data.
  std::vector<fs::path> roots() const {
    const fs::path beside = fs::path(path_).parent_path();
    return {beside.empty() ? fs::path(".") : beside, data_root() / "problems"};
  }

  // A suite may name files below these folders only, so that it cannot read others of the machine.
  void check_below(std::string_view field, const std::string& given) const {
    const fs::path path = given;
    const bool leads_up = std::find(path.begin(), path.end(), fs::path("..")) != path.end();
    if (given.empty() || given.size() > kLongestPattern || path.is_absolute() || leads_up ||
        given.find('\0') != std::string::npos) {
      fail(field, fmt::format("\"{}\" does not stay below the suite's folder or problems/", given));
    }
  }

  Licence licence_of(const json::Value& entry) const {
    Licence licence;
    if (entry.find("origin")) licence.origin = text(entry, "origin");
    if (entry.find("licence")) licence.name = text(entry, "licence");
    if (!entry.find("licence_file")) return licence;
    const std::string given = text(entry, "licence_file");
    check_below("licence_file", given);
    std::vector<fs::path> places = roots();
    places.push_back(data_root());  // for perp's own licence
    for (const fs::path& root : places) {
      if (licence.text.empty() && fs::is_regular_file(root / given))
        licence.text = (root / given).string();
    }
    if (licence.text.empty()) fail("licence_file", fmt::format("no file \"{}\"", given));
    return licence;
  }

  // Patterns are relative to the suite's folder, or to problems/ if nothing matches there.
  void add_files(const json::Value& entry, std::vector<Instance>& result) const {
    const Licence licence = licence_of(entry);
    const std::size_t before = result.size();
    for (const std::string& pattern : strings(entry, "files")) {
      check_below("files", pattern);
      if (depth_ == Depth::kText) continue;
      bool found = false;
      for (const fs::path& root : roots()) {
        const fs::path folder = (root / pattern).parent_path();
        if (found || !fs::is_directory(folder)) continue;
        for (const fs::path& file : files_below(folder)) {
          if (fnmatch((root / pattern).c_str(), file.c_str(), FNM_PATHNAME) != 0) continue;
          add_file(name(), file, root, result);
          check_room(result.size());
          found = true;
        }
      }
      if (!found) fail("files", fmt::format("no file matches \"{}\"", pattern));
    }
    for (std::size_t k = before; k < result.size(); ++k) result[k].licence = licence;
  }

  std::map<std::string, double> parameters_of(const json::Value& entry) const {
    std::map<std::string, double> parameters;
    const json::Value* given = entry.find("parameters");
    if (!given) return parameters;
    const auto* members = given->get_if<json::Object>();
    if (!members) fail("parameters", "expected an object");
    for (const json::Member& m : *members) {
      if (const auto* d = m.second.get_if<double>())
        parameters[m.first] = *d;
      else if (const auto* i = m.second.get_if<std::int64_t>())
        parameters[m.first] = static_cast<double>(*i);
      else
        fail("parameters", "expected numbers");
    }
    return parameters;
  }

  // A scene from a file in the suite's folder or in problems/, or by its name.
  Scene scene_of(const json::Value& entry) const {
    const std::string given = text(entry, "scene");
    const std::map<std::string, double> parameters = parameters_of(entry);
    check_below("scene", given);
    try {
      for (const fs::path& root : roots()) {
        if (fs::is_regular_file(root / given))
          return load_scene_file((root / given).string(), parameters);
      }
      return load_scene_by_name(given, parameters);
    } catch (const InputError& error) {
      fail("scene", error.what());
    }
  }

  void add_scene(const json::Value& entry, std::vector<Instance>& result) const {
    const Scene scene = scene_of(entry);
    SceneProblemsRequest request;
    if (entry.find("formulation")) request.formulation = text(entry, "formulation");
    try {
      if (entry.find("driver")) request.driver = driver_from(text(entry, "driver"));
    } catch (const std::invalid_argument&) {
      fail("driver", "expected \"time-stepping\" or \"event-driven\"");
    }
    if (const json::Value* step = entry.find("step")) {
      const auto* real = step->get_if<double>();
      const auto* whole = step->get_if<std::int64_t>();
      request.step = real ? *real : whole ? static_cast<double>(*whole) : 0.0;
      if (!(request.step > 0)) fail("step", "expected a positive number of seconds");
    }
    const std::vector<double> steps = integers(entry, "steps");
    if (steps.size() != 2 || steps[0] < 1 || steps[1] < steps[0] || steps[1] > kMaxSteps) {
      fail("steps", fmt::format("expected [first, last] with 1 <= first <= last <= {}", kMaxSteps));
    }
    request.first = static_cast<int>(steps[0]);
    request.last = static_cast<int>(steps[1]);
    std::string title = scene.name;
    for (const auto& [key, value] : parameters_of(entry))
      title += fmt::format(" {}={}", key, value);
    if (entry.find("formulation")) title += " " + request.formulation;
    if (request.driver == Driver::kEventDriven) title += " event-driven";
    if (entry.find("step")) title += fmt::format(" h={}", request.step);
    if (depth_ == Depth::kText) return;
    try {
      SceneProblems made = scene_problems(scene, request);
      if (made.unsolved_step > 0) {
        const std::string what = fmt::format("step {} of {} could not be solved ({})",
                                             made.unsolved_step, title, made.why);
        if (made.problems.empty()) fail("scene", what);
        if (notes_) notes_->push_back(fmt::format("{}: {}; it is the last one", path_, what));
      }
      add_sequence({name(), title, ""}, std::move(made.problems), result);
    } catch (const std::invalid_argument& error) {
      fail("scene", error.what());
    }
  }

  // Named members have default sizes and seeds. {""} means a member without a name.
  void add_family(const json::Value& entry, std::vector<Instance>& result) const {
    const std::string family = text(entry, "family");
    const std::map<std::string, double> parameters = parameters_of(entry);
    const bool named = entry.find("members") != nullptr;
    std::vector<std::string> members = {""};
    try {
      find_family(family);
    } catch (const std::invalid_argument& error) {
      fail("family", error.what());
    }
    try {
      if (named) members = match_members(find_family(family), strings(entry, "members"));
    } catch (const std::invalid_argument& error) {
      fail("members", error.what());
    }
    std::vector<double> sizes = {0}, seeds = {1, 1};
    if (!named || entry.find("sizes")) sizes = sizes_of(entry);
    if (!named || entry.find("seeds")) seeds = integers(entry, "seeds");
    if (seeds.size() != 2 || seeds[0] < 0 || seeds[1] < seeds[0] || seeds[1] > kMaxSeed) {
      fail("seeds", "expected [first, last] with 0 <= first <= last");
    }
    const double count =
        static_cast<double>(sizes.size() * members.size()) * (seeds[1] - seeds[0] + 1);
    if (count > static_cast<double>(kMaxInstances))
      fail("seeds", fmt::format("give {} instances; at most {} are allowed", count, kMaxInstances));
    for (const double size : sizes) {
      for (const std::string& member : members) {
        try {
          check_request(find_family(family), static_cast<int>(size), parameters, member);
        } catch (const std::invalid_argument& error) {
          throw field_error(path_, error.what());
        }
        for (double seed = seeds[0]; seed <= seeds[1]; ++seed) {
          result.push_back(instance_of_family(family, member, static_cast<int>(size),
                                              static_cast<std::uint64_t>(seed), parameters));
        }
      }
    }
  }

  std::vector<double> sizes_of(const json::Value& entry) const {
    std::vector<double> sizes = integers(entry, "sizes");
    for (const double size : sizes) {
      if (size < 1 || size > 1e8) fail("sizes", fmt::format("{} is not in 1..100000000", size));
    }
    return sizes;
  }

  Instance instance_of_family(const std::string& family, const std::string& member, int size,
                              std::uint64_t seed,
                              const std::map<std::string, double>& parameters) const {
    std::string label = fmt::format("{}-{}-{}", family, size, seed);
    if (!member.empty()) label = size == 0 ? member : fmt::format("{}-{}", member, size);
    std::string request = fmt::format("{}/{}/{}/" PERP_VERSION, family, size, seed);
    if (!member.empty()) request += "/" + member;
    for (const auto& [key, value] : parameters) request += fmt::format("/{}={}", key, value);
    Instance i;
    i.suite = name();
    i.name = label;
    i.family = family;
    i.size = size;
    i.seed = seed;
    i.parameters = parameters;
    i.hash = hash_text(request);
    i.member = member;
    return i;
  }

  std::string path_;
  bool quick_;
  Depth depth_;
  std::vector<std::string>* notes_;
  json::Value document_;
};

bool is_suite_file(const std::string& path) {
  if (!path.ends_with(".json") || !fs::is_regular_file(path)) return false;
  return read_text_file(path).find("\"perp-suite\"") < 200;
}

}  // namespace

std::string hash_text(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return fmt::format("{:016x}", hash);
}

Problem Instance::load() const {
  if (made) return *made;
  return family.empty() ? read_problem(path)
                        : generate(find_family(family), size, seed, parameters, member);
}

std::vector<Suite> list_suites() {
  std::vector<Suite> suites;
  const fs::path folder = data_root() / "problems" / "suites";
  if (!fs::is_directory(folder)) return suites;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    const SuiteReader reader(entry.path().string(), false, Depth::kText);
    suites.push_back({reader.name(), reader.description(), entry.path().string()});
  }
  std::sort(suites.begin(), suites.end(),
            [](const Suite& a, const Suite& b) { return a.name < b.name; });
  return suites;
}

bool is_suite(const std::string& what) {
  if (fs::exists(what)) return is_suite_file(what);
  const std::vector<Suite> suites = list_suites();
  return std::any_of(suites.begin(), suites.end(), [&](const Suite& s) { return s.name == what; });
}

void check_suite(const std::string& path) {
  const SuiteReader reader(path, false, Depth::kText);
  reader.instances();
}

namespace {

std::vector<Instance> instances_of(const std::string& what, bool quick,
                                   std::vector<std::string>* notes) {
  if (sequence_place(what)) return {instance_of_problem("files", what)};
  if (fs::is_directory(what)) {
    std::vector<Instance> result;
    for (const fs::path& file : files_below(what)) {
      add_file(fs::path(what).lexically_normal().filename().string(), file, what, result);
    }
    if (result.empty())
      throw InputError(fmt::format("{}: the folder holds no problem files", what));
    return result;
  }
  if (is_suite_file(what)) return SuiteReader(what, quick, Depth::kProblems, notes).instances();
  if (fs::is_regular_file(what)) {
    std::vector<Instance> result;
    add_file("files", what, fs::path(what).parent_path(), result);
    return result;
  }
  if (is_in_parts(what) && !fs::exists(what)) return {instance_of_problem("files", what)};
  std::vector<std::string> names;
  for (const Suite& suite : list_suites()) {
    if (suite.name == what)
      return SuiteReader(suite.path, quick, Depth::kProblems, notes).instances();
    names.push_back(suite.name);
  }
  throw InputError(fmt::format("{}: is neither a file, a folder nor a suite; suites are: {}", what,
                               fmt::join(names, ", ")));
}

}  // namespace

std::vector<Instance> collect_instances(const std::string& what, bool quick,
                                        std::vector<std::string>* notes) {
  std::vector<Instance> instances = instances_of(what, quick, notes);
  for (Instance& i : instances) i.source = what;
  return instances;
}

}  // namespace perp
