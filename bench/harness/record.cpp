#include <perp/bench/harness/record.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <perp/bench/harness/foreign_json.hpp>
#include <perp/bench/harness/json_numbers.hpp>
#include <perp/problems/io/files.hpp>
#include <perp/problems/json/json.hpp>
#include <perp/problems/json/text.hpp>

namespace perp {

namespace fs = std::filesystem;
using SortedJson = nlohmann::json;

namespace {

void need_members(const SortedJson& object, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (!object.contains(name)) throw InputError(fmt::format("field \"{}\": missing", name));
  }
}

// The words of problems/io/schema/perp-record.schema.json.
constexpr std::array kOutcomes{
    "solved",      "wrong",           "ray",        "infeasible", "stationary",
    "excluded",    "iteration_limit", "time_limit", "stalled",    "numerical_error",
    "interrupted", "unsupported",     "crashed",    "timed_out",  "out_of_memory"};

void check_kind_of_document(const SortedJson& j) {
  need_members(j, {"format", "version"});
  if (j["format"] != "perp-record") throw InputError("field \"format\": expected \"perp-record\"");
  if (j["version"] != 1)
    throw InputError("field \"version\": unknown version; this program reads version 1");
}

// Checks that required members are there, that members have the right types and integers fit.
void check_members(const SortedJson& j) {
  if (!j.is_object()) throw InputError("expected an object");
  check_kind_of_document(j);
  const auto check = [](const SortedJson& object, std::initializer_list<const char*> names,
                        const char* expected, const auto& fits) {
    for (const char* name : names) {
      const auto it = object.find(name);
      if (it != object.end() && !fits(*it))
        throw InputError(fmt::format("field \"{}\": expected {}", name, expected));
    }
  };
  const auto text = [](const SortedJson& v) { return v.is_string(); };
  const auto integer = [](const SortedJson& v) {
    return v.is_number() && v.get<double>() >= 0 && v.get<double>() <= 1e9;
  };
  const auto object = [](const SortedJson& v) { return v.is_object(); };
  check(
      j,
      {"key", "suite", "instance", "instance_hash", "kind", "family", "sequence", "mode", "solver",
       "outcome", "claimed", "message", "worst", "label", "source", "given", "plugin", "imported"},
      "a string", text);
  const auto number = [](const SortedJson& v) { return v.is_number(); };
  const auto times = [](const SortedJson& v) {
    return v.is_array() && std::all_of(v.begin(), v.end(), [](const SortedJson& t) {
             return t.is_number() && t.get<double>() >= 0;
           });
  };
  const auto time = [](const SortedJson& v) {
    return v.is_null() || (v.is_number() && v.get<double>() >= 0);
  };
  check(j, {"n", "contacts", "position", "iterations", "x-size"}, "an integer from 0 to 1e9",
        integer);
  check(j, {"program", "machine", "times", "statistics", "settings"}, "an object", object);
  check(j, {"tolerance", "time_limit", "memory_limit_mb"}, "a number", number);
  need_members(j, {"key", "suite", "instance", "instance_hash", "kind", "n", "family", "solver",
                   "settings", "program", "machine", "tolerance", "outcome", "claimed",
                   "iterations", "statistics", "times", "message"});
  if (std::find(kOutcomes.begin(), kOutcomes.end(), j["outcome"].get<std::string>()) ==
      kOutcomes.end())
    throw InputError(fmt::format("field \"outcome\": \"{}\" is none of {}",
                                 shown(j["outcome"].get<std::string>()),
                                 fmt::join(kOutcomes, ", ")));
  need_members(j["machine"], {"cpu", "cores", "system", "compiler"});
  check(j["machine"], {"cores"}, "an integer from 0 to 1e9", integer);
  check(j["machine"], {"cpu", "system", "compiler"}, "a string", text);
  need_members(j["program"], {"version"});
  check(j["program"], {"version", "hash"}, "a string", text);
  check(j["times"], {"setup", "solve", "total"}, "seconds of at least 0, or null", time);
  check(j["times"], {"setup_all", "solve_all"}, "an array of seconds of at least 0", times);
}

// Empty for older records: they lack the setups of repeats.
std::vector<double> repeats_of(const SortedJson& times) {
  std::vector<double> repeats = times.value("solve_all", std::vector<double>());
  const std::vector<double> setups = times.value("setup_all", std::vector<double>());
  if (setups.size() != repeats.size()) {
    if (!setups.empty())
      throw InputError("field \"setup_all\": expected as many numbers as in \"solve_all\"");
    return {};
  }
  for (std::size_t k = 0; k < repeats.size(); ++k) repeats[k] += setups[k];
  return repeats;
}

Record record_from(const SortedJson& j) {
  Record r;
  r.key = j.at("key");
  r.suite = j.at("suite");
  r.instance = j.at("instance");
  r.instance_hash = j.at("instance_hash");
  r.kind = j.at("kind");
  r.family = j.at("family");
  r.source = j.value("source", "");
  r.given = j.value("given", "");
  r.plugin = j.value("plugin", "");
  r.imported = j.value("imported", "");
  r.sequence = j.value("sequence", "");
  r.position = j.value("position", 0);
  r.mode = j.value("mode", "zero");
  if (r.mode == "cold") r.mode = "zero";  // its former name
  r.uses_start = !j.contains("uses_start") || j["uses_start"] != false;
  r.solver = j.at("solver");
  r.outcome = j.at("outcome");
  r.claimed = j.at("claimed");
  r.message = j.at("message");
  r.worst = j.value("worst", "");
  // Older records do not tell the type. They have the outcome "infeasible" only with a certificate.
  r.certificate = j.value("certificate", r.outcome == "infeasible" ? "farkas" : "");
  r.settings = j.at("settings").dump();
  r.version = j.at("program").at("version");
  r.program_hash = j.at("program").value("hash", "");
  r.cpu = j.at("machine").at("cpu");
  r.cores = j.at("machine").at("cores");
  r.system = j.at("machine").at("system");
  r.compiler = j.at("machine").at("compiler");
  r.n = j.at("n");
  r.contacts = j.value("contacts", 0);
  r.label = j.value("label", "");
  r.size = j.value("x-size", 0);
  r.tolerance = j.at("tolerance");
  r.vacuous = j.contains("vacuous") && j["vacuous"] == true;
  r.asked = number_member(j, "asked_tolerance");
  if (std::isnan(r.asked)) r.asked = r.tolerance;
  if (j.contains("time_limit")) r.time_limit = j["time_limit"];
  if (j.contains("memory_limit_mb")) r.memory_limit = j["memory_limit_mb"];
  r.natural = number_member(j, "x-measure");
  r.iterations = j.at("iterations");
  r.setup = number_member(j.at("times"), "setup");
  r.solve = number_member(j.at("times"), "solve");
  r.total = number_member(j.at("times"), "total");
  if (std::isnan(r.total)) r.total = r.setup + r.solve;  // older records have no total
  r.repeats = repeats_of(j.at("times"));
  r.own_times = j.at("times").value("own", false);
  r.wall = number_member(j.at("times"), "wall");
  r.llt = number_member(j.at("times"), "llt");
  r.failed_repeats = j.value("failed_repeats", 0);
  r.written = j.value("written", 0.0);
  r.peak_memory_mb = number_member(j, "peak_memory_mb");
  for (const auto& [name, value] : j.at("statistics").items()) {
    if (value.is_number()) r.statistics[name] = value.get<double>();
  }
  return r;
}

// Whether the first line is that of a perp-sequence, which may lie beside records.
bool is_sequence(const fs::path& path) {
  if (!fs::is_regular_file(path)) return false;  // to open a pipe would wait for ever
  constexpr std::size_t kBeginning = 4096;       // bytes; the format is among the first members
  std::string beginning(kBeginning, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(beginning.data(), static_cast<std::streamsize>(kBeginning));
  beginning.resize(std::min(static_cast<std::size_t>(file.gcount()), beginning.find('\n')));
  return beginning.find("\"perp-sequence\"") != beginning.npos;
}

bool is_record_file(const fs::path& path) {
  const std::string name = path.filename().string();
  if (name == "problems.jsonl" && fs::exists(path.parent_path() / "run.json"))
    return false;  // the sequence of problems of a recorded simulation
  if (name.ends_with(".jsonl.gz")) return true;
  return name.ends_with(".jsonl") && !is_sequence(path);
}

std::vector<fs::path> record_files(const std::string& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(path)) {
    if (is_record_file(entry.path()) && entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) throw InputError(fmt::format("{}: holds no run records (*.jsonl)", path));
  return files;
}

}  // namespace

bool holds_records(const std::string& path) {
  if (!fs::is_directory(path)) return fs::exists(path);
  const fs::directory_iterator entries(path);
  return std::any_of(begin(entries), end(entries),
                     [](const auto& entry) { return is_record_file(entry.path()); });
}

std::vector<Record> read_records(const std::vector<std::string>& paths) {
  std::vector<fs::path> files;
  for (const std::string& path : paths) {
    const std::vector<fs::path> found = record_files(path);
    files.insert(files.end(), found.begin(), found.end());
  }
  std::vector<Record> records;
  for (const fs::path& file : files) {
    const std::string text = read_text_file(file.string());
    std::size_t line = 1;
    for (std::size_t at = 0; at < text.size(); ++line) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string_view row(text.data() + at, end - at);
      at = end + 1;
      if (row.empty()) continue;
      try {
        const SortedJson document = parse_foreign_json(row, "the line");
        check_members(document);
        records.push_back(record_from(document));
      } catch (const SortedJson::exception&) {
        throw InputError(fmt::format("{}: line {}: not a run record", file.string(), line));
      } catch (const InputError& error) {
        throw InputError(
            fmt::format("{}: line {}: not a run record ({})", file.string(), line, error.what()));
      }
    }
  }
  return records;
}

}  // namespace perp
