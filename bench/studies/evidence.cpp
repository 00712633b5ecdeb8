#include <perp/bench/studies/evidence.hpp>

#include <fmt/format.h>
#include <fnmatch.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <perp/problems/io/files.hpp>

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

Evidence::Evidence(const Study& study, std::string folder)
    : study_(study), folder_(std::move(folder)) {}

std::vector<Record> Evidence::records(const std::string& run) const {
  const SortedJson plan = document(keys_file(folder_, run));
  if (!plan.is_object() || !plan.contains("keys") || !plan["keys"].is_array())
    throw MissingEvidence(
        fmt::format("the run {} was not begun{}", run, quick_note(study_, "runs")));
  if (!read_) {
    if (holds_records(folder_)) {
      for (Record& record : read_records({folder_})) {
        const std::string key = record.key;
        records_[key] = std::move(record);
      }
    }
    read_ = true;
  }
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
