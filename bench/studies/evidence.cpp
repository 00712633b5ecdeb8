#include <perp/bench/studies/evidence.hpp>

#include <fmt/format.h>
#include <fnmatch.h>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <perp/problems/io/files.hpp>
#include <set>

namespace perp {

namespace fs = std::filesystem;
using SortedJson = nlohmann::json;

namespace {

// Why something may be missing from a study that was read with --quick.
std::string quick_note(const Study& study, const char* what) {
  return study.quick ? fmt::format("; --quick leaves out {} of tier full", what) : "";
}

SortedJson document(const std::string& path) {
  if (!fs::is_regular_file(path)) return {};
  return SortedJson::parse(read_text_file(path), nullptr, false);
}

// @param note what its file in runs/ says; not an object if there is none
void expect_by_plan(const StudySimulation& s, const SortedJson& note) {
  if (!note.is_object()) return;
  if (note.value("program", "?").empty())
    throw MissingEvidence(fmt::format("the simulation {} was cut off", s.folder));
  const SortedJson plan = plan_of(s);
  for (const auto& [name, value] : plan.items()) {
    if (note.contains(name) && note[name] != value)
      throw MissingEvidence(fmt::format(
          "the simulation {} is of another text of the study; --resume runs it anew", s.folder));
  }
}

void add_numbers(const SortedJson& value, const std::string& name,
                 std::map<std::string, double>& out) {
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items())
      add_numbers(inner, name.empty() ? key : name + "_" + key, out);
  } else if (value.is_number()) {
    out[name] = value.get<double>();
  } else if (value.is_boolean()) {
    out[name] = value.get<bool>() ? 1.0 : 0.0;
  }
}

}  // namespace

std::string keys_file(const std::string& folder, const std::string& run) {
  return (fs::path(folder) / "runs" / (run + ".json")).string();
}

std::string note_file(const std::string& folder, const std::string& simulation) {
  std::string name = "simulation+" + simulation;
  std::replace(name.begin(), name.end(), '/', '+');
  return keys_file(folder, name);
}

std::string simulation_folder(const std::string& folder, const std::string& simulation) {
  return (fs::path(folder) / "simulations" / simulation).string();
}

SimulationState state_of_simulation(const std::string& folder) {
  const SortedJson run = document((fs::path(folder) / "run.json").string());
  if (!run.is_object()) return SimulationState::kNone;
  const bool failed = run.value("failed_steps", 0) > 0;
  return run.value("complete", false) || failed ? SimulationState::kWhole
                                                : SimulationState::kCutOff;
}

nlohmann::ordered_json plan_of(const StudyRun& run) {
  const BenchRequest& r = run.request;
  std::vector<std::string> starts;
  for (const StartFrom start : r.starts) starts.push_back(to_string(start));
  return {{"suites", run.suites},     {"quick", run.quick_entries},
          {"solvers", r.solvers},     {"settings", r.settings},
          {"label", r.label},         {"starts", starts},
          {"tolerance", r.tolerance}, {"time_limit", r.time_limit},
          {"repeats", r.repeats},     {"memory_limit", r.memory_limit_mb}};
}

nlohmann::ordered_json plan_of(const StudySimulation& simulation) {
  return {{"scene", simulation.scene}, {"arguments", simulation.arguments}};
}

Evidence::Evidence(const Study& study, std::string folder)
    : study_(study), folder_(std::move(folder)) {}

std::vector<Record> Evidence::records(const std::string& run) const {
  const SortedJson plan = document(keys_file(folder_, run));
  if (!plan.is_object() || !plan.contains("keys") || !plan["keys"].is_array())
    throw MissingEvidence(
        fmt::format("the run {} was not begun{}", run, quick_note(study_, "runs")));
  for (const StudyRun& known : study_.runs) {
    // Folders of builds before plans have none.
    if (known.name == run && plan.contains("plan") && plan["plan"] != SortedJson(plan_of(known)))
      throw MissingEvidence(
          fmt::format("the run {} is of another text of the study; --resume runs it anew", run));
  }
  read_all();
  std::vector<Record> found;
  for (const SortedJson& key : plan["keys"]) {
    const auto it = records_.find(key.get<std::string>());
    if (it != records_.end()) found.push_back(it->second);
  }
  if (found.size() < plan["keys"].size()) {
    throw MissingEvidence(fmt::format("{} of {} solves of the run {} are missing",
                                      plan["keys"].size() - found.size(), plan["keys"].size(),
                                      run));
  }
  return found;
}

void Evidence::read_all() const {
  if (read_) return;
  if (holds_records(folder_)) {
    for (Record& record : read_records({folder_})) {
      const std::string key = record.key;
      records_[key] = std::move(record);
    }
  }
  read_ = true;
}

std::vector<Record> Evidence::all_records() const {
  read_all();
  std::vector<Record> found;
  std::set<std::string> taken;
  for (const StudyRun& run : study_.runs) {
    const SortedJson plan = document(keys_file(folder_, run.name));
    if (!plan.is_object()) continue;
    for (const SortedJson& key : plan.value("keys", SortedJson::array())) {
      const auto it = records_.find(key.get<std::string>());
      if (it != records_.end() && taken.insert(it->first).second) found.push_back(it->second);
    }
  }
  return found;
}

std::vector<std::string> Evidence::simulations(const std::string& pattern) const {
  std::vector<std::string> found;
  for (const StudySimulation& s : study_.simulations) {
    if (fnmatch(pattern.c_str(), s.folder.c_str(), 0) != 0) continue;
    switch (state_of_simulation(simulation_folder(folder_, s.folder))) {
      case SimulationState::kNone:
        throw MissingEvidence(fmt::format("the simulation {} was not run", s.folder));
      case SimulationState::kCutOff:
        throw MissingEvidence(fmt::format("the simulation {} was cut off", s.folder));
      case SimulationState::kWhole:
        expect_by_plan(s, document(note_file(folder_, s.folder)));
        found.push_back(s.folder);
    }
  }
  if (found.empty())
    throw MissingEvidence(fmt::format("no simulation {} is in this study{}", pattern,
                                      quick_note(study_, "simulations")));
  return found;
}

std::map<std::string, double> Evidence::summary(const std::string& simulation) const {
  std::map<std::string, double> numbers;
  const fs::path path = fs::path(simulation_folder(folder_, simulation)) / "run.json";
  add_numbers(document(path.string()), "", numbers);
  return numbers;
}

std::string Evidence::table(const std::string& simulation, const std::string& name) const {
  const fs::path path =
      fs::path(simulation_folder(folder_, simulation)) / fmt::format("{}.csv", name);
  if (!fs::is_regular_file(path))
    throw MissingEvidence(fmt::format("the simulation {} has no {}.csv", simulation, name));
  return path.string();
}

}  // namespace perp
