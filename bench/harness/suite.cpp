#include <perp/bench/harness/suite.hpp>

#include <fmt/format.h>
#include <fnmatch.h>
#include <algorithm>
#include <array>
#include <filesystem>
#include <perp/bench/data/data_files.hpp>
#include <perp/bench/data/scenes.hpp>
#include <perp/bench/harness/scene_problems.hpp>
#include <perp/formulations/registry.hpp>
#include <perp/problems/families/family.hpp>
#include <perp/problems/io/files.hpp>
#include <perp/problems/io/problem_file.hpp>
#include <perp/problems/io/problem_json.hpp>
#include <perp/problems/io/sequence.hpp>
#include <perp/problems/json/field.hpp>
#include <perp/problems/json/text.hpp>

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

// What perp writes and reads beside problems.
constexpr std::array kOtherFormats{
    "perp-analysis",  "perp-answer", "perp-claims", "perp-collection", "perp-comparison",
    "perp-diagnosis", "perp-import", "perp-record", "perp-scene",      "perp-shapes",
    "perp-study",     "perp-suite",  "perp-table"};

// Whether a file holds a JSON document of another kind than problems: an answer, records, a run.
// Such files lie beside problems. A problem that is damaged is not among them.
bool is_other_document(const fs::path& path) {
  const std::string name = path.filename().string();
  if (!is_sequence_file(name) && !name.ends_with(".json") && !name.ends_with(".json.gz"))
    return false;
  try {
    std::string text = read_text_file(path.string());
    if (is_sequence_file(name)) text.resize(std::min(text.find('\n'), text.size()));
    const json::Value document = json::parse(text, path.string());
    const json::Value* format = document.find("format");
    if (!format)  // a result has a solver, a verdict says if it is solved; a problem has neither
      return !document.find("kind") || document.find("solver") || document.find("solved");
    const auto* word = format->get_if<std::string>();
    return word && std::count(kOtherFormats.begin(), kOtherFormats.end(), *word) > 0;
  } catch (const InputError&) {
    return false;
  }
}

// All problems of the files below a folder. @param notes as of SuiteReader
std::vector<Instance> instances_below(const std::string& folder, std::vector<std::string>* notes) {
  const std::string suite = fs::path(folder).lexically_normal().filename().string();
  std::vector<Instance> result;
  std::vector<std::string> others;
  for (const fs::path& file : files_below(folder)) {
    try {
      add_file(suite, file, folder, result);
    } catch (const InputError&) {
      if (!is_other_document(file)) throw;
      others.push_back(file.string());
    }
  }
  if (result.empty())
    throw InputError(fmt::format("{}: the folder holds no problem files", folder));
  if (!others.empty() && notes)
    notes->push_back(fmt::format("{}: {} of its files hold no problem and are left out: {}{}",
                                 folder, others.size(), others.front(),
                                 others.size() > 1 ? ", ..." : ""));
  return result;
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
        document_(json::parse(read_text_file(path), path)),
        suite_(document_, path_, "") {
    if (suite_["format"].text() != "perp-suite") suite_["format"].fail("expected \"perp-suite\"");
    if (suite_["version"].integer(0, Field::kMaxInteger) != 1)
      suite_["version"].fail("unknown version; this program reads version 1");
    for (const char* field : {"name", "description"}) {
      const std::string given = suite_[field].text();
      if (std::any_of(given.begin(), given.end(), [](unsigned char c) { return c < 0x20; }))
        suite_[field].fail("has control characters");
    }
    if (name().empty()) suite_["name"].fail("is empty");
    suite_.only({"format", "version", "name", "description", "entries"}, true);
  }
  SuiteReader(const SuiteReader&) = delete;  // suite_ keeps references to other members
  SuiteReader& operator=(const SuiteReader&) = delete;

  std::string name() const { return suite_["name"].text(); }
  std::string description() const { return suite_["description"].text(); }

  std::vector<Instance> instances() const {
    std::vector<Instance> result;
    for (const Field& entry : suite_["entries"].items()) {
      if (entry.has("tier")) {
        const std::string tier = entry["tier"].text();
        if (tier != "quick" && tier != "full") entry["tier"].fail("expected \"quick\" or \"full\"");
        if (quick_ && tier == "full") continue;
      }
      if (entry.has("files")) {
        entry.only({"files", "licence", "licence_file", "origin", "tier"}, true);
        add_files(entry, result);
      } else if (entry.has("scene")) {
        entry.only({"scene", "parameters", "formulation", "driver", "step", "steps", "tier"}, true);
        add_scene(entry, result);
      } else {
        entry.only({"family", "members", "sizes", "seeds", "parameters", "tier"}, true);
        add_family(entry, result);
      }
      check_room(result.size());
    }
    return result;
  }

 private:
  static std::vector<double> whole_numbers(const Field& field) {
    const std::vector<double>& values = field.numbers();
    if (!field.value().get_if<json::Numbers>()->integral) field.fail("expected integers only");
    return values;
  }
  static std::vector<std::string> texts(const Field& field) {
    std::vector<std::string> result;
    for (const Field& item : field.items()) result.push_back(item.text());
    if (result.empty()) field.fail("is empty");
    return result;
  }

  void check_room(std::size_t instances) const {
    if (instances > kMaxInstances)
      suite_["entries"].fail(fmt::format("more than {} instances in all", kMaxInstances));
  }

  // Folders in which files and scenes are searched: that of the suite, then problems/ of the data.
  std::vector<fs::path> roots() const {
    const fs::path beside = fs::path(path_).parent_path();
    return {beside.empty() ? fs::path(".") : beside, data_root() / "problems"};
  }

  // A suite may name files below these folders only, so that it cannot read others of the machine.
  static void check_below(const Field& field, const std::string& given) {
    const fs::path path = given;
    const bool leads_up = std::find(path.begin(), path.end(), fs::path("..")) != path.end();
    if (given.empty() || given.size() > kLongestPattern || path.is_absolute() || leads_up ||
        given.find('\0') != std::string::npos) {
      field.fail(
          fmt::format("\"{}\" does not stay below the suite's folder or problems/", shown(given)));
    }
  }

  Licence licence_of(const Field& entry) const {
    Licence licence;
    if (entry.has("origin")) licence.origin = entry["origin"].text();
    if (entry.has("licence")) licence.name = entry["licence"].text();
    if (!entry.has("licence_file")) return licence;
    const std::string given = entry["licence_file"].text();
    check_below(entry["licence_file"], given);
    std::vector<fs::path> places = roots();
    places.push_back(data_root());  // for perp's own licence
    for (const fs::path& root : places) {
      if (licence.text.empty() && fs::is_regular_file(root / given))
        licence.text = (root / given).string();
    }
    if (licence.text.empty())
      entry["licence_file"].fail(fmt::format("no file \"{}\"", shown(given)));
    return licence;
  }

  // Patterns are relative to the suite's folder, or to problems/ if nothing matches there.
  void add_files(const Field& entry, std::vector<Instance>& result) const {
    const Licence licence = licence_of(entry);
    const std::size_t before = result.size();
    for (const std::string& pattern : texts(entry["files"])) {
      check_below(entry["files"], pattern);
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
      if (!found) entry["files"].fail(fmt::format("no file matches \"{}\"", shown(pattern)));
    }
    for (std::size_t k = before; k < result.size(); ++k) result[k].licence = licence;
  }

  static std::map<std::string, double> parameters_of(const Field& entry) {
    std::map<std::string, double> parameters;
    if (!entry.has("parameters")) return parameters;
    const Field given = entry["parameters"];
    const auto* members = given.value().get_if<json::Object>();
    if (!members) given.expected("an object");
    for (const json::Member& m : *members) parameters[m.first] = given[m.first].number();
    return parameters;
  }

  // A scene from a file in the suite's folder or in problems/, or by its name.
  Scene scene_of(const Field& entry) const {
    const std::string given = entry["scene"].text();
    const std::map<std::string, double> parameters = parameters_of(entry);
    check_below(entry["scene"], given);
    try {
      for (const fs::path& root : roots()) {
        if (fs::is_regular_file(root / given))
          return load_scene_file((root / given).string(), parameters);
      }
      return load_scene_by_name(given, parameters);
    } catch (const InputError& error) {
      entry["scene"].fail(error.what());
    }
  }

  // The formulation and the driver. Both are checked, as is whether the scene can have them.
  static SceneProblemsRequest request_of(const Field& entry, const Scene& scene) {
    SceneProblemsRequest request;
    if (entry.has("formulation")) request.formulation = entry["formulation"].text();
    try {
      if (entry.has("driver")) request.driver = driver_from(entry["driver"].text());
    } catch (const std::invalid_argument&) {
      entry["driver"].fail("expected \"time-stepping\" or \"event-driven\"");
    }
    if (!request.formulation.empty()) {
      try {
        if (const auto why = refusal_of(*make_formulation(request.formulation), scene))
          entry["formulation"].fail(*why);
      } catch (const std::invalid_argument& error) {
        entry["formulation"].fail(error.what());
      }
    }
    if (entry.has("step")) {
      request.step = entry["step"].number();
      if (!(request.step > 0)) entry["step"].fail("expected a positive number of seconds");
    }
    return request;
  }

  void add_scene(const Field& entry, std::vector<Instance>& result) const {
    const Scene scene = scene_of(entry);
    SceneProblemsRequest request = request_of(entry, scene);
    const std::vector<double> steps = whole_numbers(entry["steps"]);
    if (steps.size() != 2 || steps[0] < 1 || steps[1] < steps[0] || steps[1] > kMaxSteps) {
      entry["steps"].fail(
          fmt::format("expected [first, last] with 1 <= first <= last <= {}", kMaxSteps));
    }
    request.first = static_cast<int>(steps[0]);
    request.last = static_cast<int>(steps[1]);
    std::string title = scene.name;
    for (const auto& [key, value] : parameters_of(entry))
      title += fmt::format(" {}={}", key, value);
    if (!request.formulation.empty()) title += " " + request.formulation;
    if (request.driver == Driver::kEventDriven) title += " event-driven";
    if (request.step > 0) title += fmt::format(" h={}", request.step);
    if (depth_ == Depth::kText) return;
    try {
      SceneProblems made = scene_problems(scene, request);
      if (made.unsolved_step > 0) {
        const std::string what = fmt::format("step {} of {} could not be solved ({})",
                                             made.unsolved_step, title, made.why);
        if (made.problems.empty()) entry["scene"].fail(what);
        if (notes_) notes_->push_back(fmt::format("{}: {}; it is the last one", path_, what));
      }
      add_sequence({name(), title, ""}, std::move(made.problems), result);
    } catch (const std::invalid_argument& error) {
      entry["scene"].fail(error.what());
    }
  }

  // Named members have default sizes and seeds. {""} means a member without a name.
  void add_family(const Field& entry, std::vector<Instance>& result) const {
    const std::string family = entry["family"].text();
    const std::map<std::string, double> parameters = parameters_of(entry);
    const bool named = entry.has("members");
    std::vector<std::string> members = {""};
    try {
      find_family(family);
    } catch (const std::invalid_argument& error) {
      entry["family"].fail(error.what());
    }
    try {
      if (named) members = match_members(find_family(family), texts(entry["members"]));
    } catch (const std::invalid_argument& error) {
      entry["members"].fail(error.what());
    }
    std::vector<double> sizes = {0}, seeds = {1, 1};
    if (!named || entry.has("sizes")) sizes = sizes_of(entry["sizes"]);
    if (!named || entry.has("seeds")) seeds = whole_numbers(entry["seeds"]);
    if (seeds.size() != 2 || seeds[0] < 0 || seeds[1] < seeds[0] || seeds[1] > kMaxSeed)
      entry["seeds"].fail("expected [first, last] with 0 <= first <= last");
    const double count =
        static_cast<double>(sizes.size() * members.size()) * (seeds[1] - seeds[0] + 1);
    if (count > static_cast<double>(kMaxInstances)) {
      (entry.has("seeds") ? entry["seeds"] : entry)
          .fail(fmt::format("gives {} instances; at most {} are allowed", count, kMaxInstances));
    }
    for (const double size : sizes) {
      for (const std::string& member : members) {
        try {
          check_request(find_family(family), static_cast<int>(size), parameters, member);
        } catch (const std::invalid_argument& error) {
          entry.fail(error.what());
        }
        for (double seed = seeds[0]; seed <= seeds[1]; ++seed) {
          result.push_back(instance_of_family(family, member, static_cast<int>(size),
                                              static_cast<std::uint64_t>(seed), parameters));
        }
      }
    }
  }

  static std::vector<double> sizes_of(const Field& field) {
    std::vector<double> sizes = whole_numbers(field);
    if (sizes.empty()) field.fail("is empty");
    for (const double size : sizes) {
      if (size < 1 || size > 1e8) field.fail(fmt::format("{} is not in 1..100000000", size));
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
  Field suite_;
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

namespace {

bool is_name_of_suite(const std::string& what) {
  const std::vector<Suite> suites = list_suites();
  return std::any_of(suites.begin(), suites.end(), [&](const Suite& s) { return s.name == what; });
}

// A folder with the name of a suite is ./NAME: else one that happens to be there would replace it.
bool is_folder(const std::string& what) {
  return fs::is_directory(what) && !is_name_of_suite(what);
}

}  // namespace

bool is_suite(const std::string& what) {
  return fs::exists(what) && !fs::is_directory(what) ? is_suite_file(what) : is_name_of_suite(what);
}

void check_suite(const std::string& path) {
  const SuiteReader reader(path, false, Depth::kText);
  reader.instances();
}

namespace {

std::vector<Instance> instances_of(const std::string& what, bool quick,
                                   std::vector<std::string>* notes) {
  if (sequence_place(what)) return {instance_of_problem("files", what)};
  if (is_folder(what)) return instances_below(what, notes);
  if (fs::is_directory(what) && notes)
    notes->push_back(fmt::format("{0}: is taken as the suite; the folder is ./{0}", what));
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
