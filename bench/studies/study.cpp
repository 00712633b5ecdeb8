#include <perp/bench/studies/study.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <perp/bench/data/data_files.hpp>
#include <perp/bench/harness/solver_names.hpp>
#include <perp/bench/harness/solvers.hpp>
#include <perp/bench/report/simulations.hpp>
#include <perp/bench/studies/bindings.hpp>
#include <perp/bench/studies/reference_motion.hpp>
#include <perp/problems/io/files.hpp>
#include <set>

namespace perp {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kMostSimulations = 10'000;

fs::path study_folder() { return data_root() / "bench" / "studies"; }

// Names are used for folders and files, so only plain characters are allowed.
std::string plain_name(const Field& field, const std::string& name) {
  const bool plain = !name.empty() && name.size() <= 100 && name.front() != '.' &&
                     std::all_of(name.begin(), name.end(), [](unsigned char c) {
                       return std::isalnum(c) || c == '-' || c == '_' || c == '.' || c == '=';
                     });
  if (!plain)
    field.fail(fmt::format("\"{}\" may have the characters A-Z a-z 0-9 - _ . = only", name));
  return name;
}

double positive(const Field& field, double value) {
  if (!(value > 0) || !std::isfinite(value)) field.expected("a number above 0");
  return value;
}

class StudyReader {
 public:
  StudyReader(Study& study, bool quick) : study_(study), quick_(quick) {}

  void read(const std::string& path) {
    if (!seen_.insert(fs::weakly_canonical(path).string()).second) return;
    const json::Value document = json::parse(read_text_file(path), path);
    const Field root(document, path, "");
    root.only({"format", "version", "name", "title", "description", "include", "runs",
               "simulations", "claims", "tables"},
              true);
    if (root["format"].text() != "perp-study") root["format"].expected("\"perp-study\"");
    root["version"].integer(1, 1);
    const std::string name = plain_name(root["name"], root["name"].text());
    if (study_.name.empty()) {
      study_.name = name;
      study_.title = root["title"].text();
      study_.description = root["description"].text();
      study_.path = path;
    }
    if (root.has("include")) {
      for (const Field& other : root["include"].items())
        read((fs::path(path).parent_path() / (plain_name(other, other.text()) + ".json")).string());
    }
    if (root.has("runs")) {
      for (const Field& run : root["runs"].items()) read_run(run);
    }
    if (root.has("simulations")) {
      for (const Field& group : root["simulations"].items()) read_group(group);
    }
    if (root.has("tables")) {
      for (const Field& table : root["tables"].items()) {
        study_.tables.push_back(read_table_rule(table));
        plain_name(table["name"], study_.tables.back().name);
        if (!tables_.insert(study_.tables.back().name).second)
          table["name"].fail("is the name of two tables");
        if (table.has("records")) {
          for (const Field& run : table["records"].items()) expect_run(run);
        } else {
          for (const Field& row : table["rows"].items()) expect_runs(row);
        }
      }
    }
    if (root.has("claims")) {
      for (const Field& table : root["claims"].items()) {
        study_.claims.push_back(read_claim_table(table));
        plain_name(table["name"], study_.claims.back().name);
        for (const Field& claim : table["claims"].items()) expect_runs(claim);
      }
    }
  }

 private:
  bool left_out(const Field& field) const {
    if (!field.has("tier")) return false;
    const std::string tier = field["tier"].text();
    if (tier != "quick" && tier != "full") field["tier"].expected("\"quick\" or \"full\"");
    return quick_ && tier == "full";
  }

  // A misspelled name is told before the study runs.
  void expect_run(const Field& name) const {
    if (!runs_.contains(name.text())) {
      name.fail(fmt::format("\"{}\" is no run of this study; runs are: {}", name.text(),
                            runs_.empty() ? "none" : fmt::format("{}", fmt::join(runs_, ", "))));
    }
  }

  // The same for the values of a claim or of a row.
  void expect_runs(const Field& field) const {
    if (!field.has("values")) return;
    for (const auto& [name, value] : members(field["values"])) {
      if (!value.value().get_if<std::string>() && value.has("records"))
        expect_run(value["records"]);
    }
  }

  void read_run(const Field& field) {
    field.only({"name", "suites", "entries", "solvers", "settings", "label", "starts", "tolerance",
                "time_limit", "memory_limit", "repeat", "tier"},
               true);
    StudyRun run;
    run.name = plain_name(field["name"], field["name"].text());
    if (!runs_.insert(run.name).second)
      field["name"].fail(fmt::format("\"{}\" is the name of two runs", run.name));
    run.suites = texts_of(field["suites"]);
    run.quick_entries = quick_;
    if (field.has("entries")) {
      const std::string entries = field["entries"].text();
      if (entries != "quick" && entries != "all") field["entries"].expected("\"quick\" or \"all\"");
      run.quick_entries |= entries == "quick";
    }
    BenchRequest& r = run.request;
    r.solvers = texts_of(field["solvers"]);
    if (field.has("settings")) {
      for (const auto& [key, value] : members(field["settings"]))
        r.settings.emplace_back(key, text_of(value));
    }
    if (field.has("label")) r.label = field["label"].text();
    if (field.has("starts")) {
      r.starts.clear();
      for (const Field& start : field["starts"].items()) r.starts.push_back(start_of(start));
    }
    r.tolerance = positive(field["tolerance"], field["tolerance"].number());
    r.time_limit = positive(field["time_limit"], field["time_limit"].number());
    if (field.has("memory_limit"))
      r.memory_limit_mb = positive(field["memory_limit"], field["memory_limit"].number());
    if (field.has("repeat")) r.repeats = field["repeat"].integer(1, 100000);
    if (!left_out(field)) study_.runs.push_back(std::move(run));
  }

  static StartFrom start_of(const Field& field) {
    const std::string name = field.text();
    for (const StartFrom start : {StartFrom::kZero, StartFrom::kStored, StartFrom::kWarm}) {
      if (to_string(start) == name) return start;
    }
    field.expected("\"zero\", \"stored\" or \"warm\"");
  }

  void read_group(const Field& field) {
    field.only({"group", "title", "caption", "draw", "view", "joint", "reference", "runs", "tier"},
               true);
    const std::string group = plain_name(field["group"], field["group"].text());
    if (left_out(field)) return;
    for (const Field& run : field["runs"].items()) {
      run.only({"name", "scene", "engine", "each", "parameters", "formulation", "solver", "driver",
                "step", "duration", "tolerance", "time_limit", "settings", "keep_going", "contacts",
                "tier"},
               true);
      if (left_out(run)) continue;
      for (const Bindings& bindings : bindings_of(run)) add_simulation(group, run, bindings);
      if (study_.simulations.size() > kMostSimulations) run.fail("too many simulations");
    }
    for (const char* of_figure : {"title", "caption", "view", "draw", "joint", "reference"}) {
      if (!field.has(of_figure)) continue;
      study_.figures.push_back({group, figure_json(field)});  // refuses a group without a title
      break;
    }
  }

  void add_simulation(const std::string& group, const Field& field, const Bindings& bindings) {
    StudySimulation s;
    s.folder = group + "/" + plain_name(field["name"], bindings.text(field["name"]));
    if (!folders_.insert(s.folder).second)
      field["name"].fail(fmt::format("{} is the place of two simulations", s.folder));
    s.scene = bindings.text(field["scene"]);
    if (field.has("engine")) s.engine = plain_name(field["engine"], field["engine"].text());
    auto& a = s.arguments;
    const auto word = [&](const char* name, const char* option, std::string& value) {
      if (!field.has(name)) return;
      value = bindings.text(field[name]);
      a.insert(a.end(), {option, value});
    };
    const auto number = [&](const char* name, const char* option) {
      if (!field.has(name)) return;
      const double value = positive(field[name], bindings.number(field[name]));
      a.insert(a.end(), {option, fmt::format("{}", value)});
    };
    word("formulation", "--formulation", s.formulation);
    word("solver", "--solver", s.solver);
    word("driver", "--driver", s.driver);
    if (field.has("step")) {
      std::vector<std::string> steps;
      for (const double step : bindings.numbers(field["step"]))
        steps.push_back(fmt::format("{}", positive(field["step"], step)));
      a.insert(a.end(), {"--step", fmt::format("{}", fmt::join(steps, ","))});
    }
    number("duration", "--duration");
    number("tolerance", "--tolerance");
    number("time_limit", "--time-limit");
    if (field.has("parameters")) {
      for (const auto& [key, value] : members(field["parameters"])) {
        s.parameters[key] = bindings.number(value);
        a.insert(a.end(), {"--param", fmt::format("{}={}", key, s.parameters[key])});
      }
    }
    if (field.has("settings")) {
      for (const auto& [key, value] : members(field["settings"])) {
        s.settings.emplace_back(key, text_of(value));
        a.insert(a.end(), {"--set", fmt::format("{}={}", key, s.settings.back().second)});
      }
    }
    if (field.has("keep_going") && field["keep_going"].boolean()) a.emplace_back("--keep-going");
    if (field.has("contacts") && !field["contacts"].boolean()) a.emplace_back("--no-contacts");
    study_.simulations.push_back(std::move(s));
  }

  static std::string figure_json(const Field& field) {
    Json figure{{"title", field["title"].text()}};
    if (field.has("caption")) figure["caption"] = field["caption"].text();
    if (field.has("view")) {
      figure["view"] = field["view"].text();
      if (figure["view"] != "side" && figure["view"] != "top")
        field["view"].expected("\"side\" or \"top\"");
    }
    if (field.has("draw")) {
      figure["draw"] = Json::array();
      const std::vector<std::string> known = drawing_names();
      for (const Field& drawing : field["draw"].items()) {
        if (std::ranges::find(known, drawing.text()) == known.end())
          drawing.fail(fmt::format("\"{}\" is none of {}", drawing.text(), fmt::join(known, ", ")));
        figure["draw"].push_back(drawing.text());
      }
    }
    if (field.has("joint")) {
      field["joint"].only({"row", "label"});
      figure["joint"] = {{"row", field["joint"]["row"].integer(0, Field::kMaxInteger)},
                         {"label", field["joint"]["label"].text()}};
    }
    if (field.has("reference")) {
      const Field reference = field["reference"];
      reference.only({"label", "kinetic", "motion"});
      if (!reference.has("kinetic") && !reference.has("motion"))
        reference.expected("kinetic, motion or both beside the label");
      figure["reference"] = {{"label", reference["label"].text()}};
      if (reference.has("kinetic")) figure["reference"]["kinetic"] = reference["kinetic"].number();
      if (reference.has("motion"))
        figure["reference"]["path"] = reference_motion(reference["motion"]);
    }
    return figure.dump(1) + "\n";
  }

  Study& study_;
  bool quick_;
  std::set<std::string> seen_, runs_, folders_, tables_;
};

}  // namespace

Study read_study(const std::string& name_or_file, bool quick) {
  std::string path = name_or_file;
  if (!fs::is_regular_file(path)) {  // a folder may have the same name as a study
    path = (study_folder() / (name_or_file + ".json")).string();
    if (name_or_file.find('/') != std::string::npos || !fs::exists(path)) {
      std::vector<std::string> names;
      for (const Study& study : list_studies()) names.push_back(study.name);
      throw InputError(fmt::format("{}: is neither a file nor a study; studies are: {}",
                                   name_or_file, fmt::join(names, ", ")));
    }
  }
  Study study;
  study.quick = quick;
  StudyReader(study, quick).read(path);
  return study;
}

std::vector<Study> list_studies() {
  std::vector<Study> studies;
  if (!fs::is_directory(study_folder())) return studies;
  for (const auto& entry : fs::directory_iterator(study_folder())) {
    if (entry.path().extension() == ".json")
      studies.push_back(read_study(entry.path().string(), false));
  }
  std::sort(studies.begin(), studies.end(),
            [](const Study& a, const Study& b) { return a.name < b.name; });
  return studies;
}

}  // namespace perp
