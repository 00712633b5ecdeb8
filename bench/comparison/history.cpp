#include <perp/bench/comparison/history.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <perp/bench/comparison/comparison.hpp>
#include <perp/bench/data/data_files.hpp>
#include <perp/bench/report/summary.hpp>
#include <perp/problems/json/json.hpp>
#include <set>
#include <string_view>

namespace perp {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kEnding = ".jsonl.gz";
constexpr std::string_view kDate = "0000-00-00";

// The date, if the file's name begins with one (YYYY-MM-DD), else the name.
std::string label_of(const std::string& path) {
  const std::string name = fs::path(path).filename().string(), date = name.substr(0, kDate.size());
  const bool dated = std::equal(date.begin(), date.end(), kDate.begin(), kDate.end(),
                                [](unsigned char c, char pattern) {
                                  return pattern == '0' ? std::isdigit(c) != 0 : c == pattern;
                                });
  if (dated) return date;
  return name.empty() ? path : name.substr(0, name.find(".jsonl"));
}

std::set<std::string> programs_of(const std::vector<Record>& records) {
  std::set<std::string> programs;
  for (const Record& r : records) programs.insert(r.program_hash);
  return programs;
}

std::set<std::string> machines_of(const std::vector<Record>& records) {
  std::set<std::string> machines;
  for (const Record& r : records) machines.insert(r.cpu);
  return machines;
}

Json compared_json(const ComparedGroup& g) {
  Json j{{"suite", g.suite},
         {"solver", g.solver},
         {"compared", g.compared},
         {"solved_before", g.solved_before},
         {"solved_now", g.solved_after},
         {"timed", g.time.timed}};
  if (g.time.timed == 0) return j;
  const Band& band = g.time.band;  // ratios now over then
  j["ratio"] = 1.0 / band.ratio;
  j["low"] = 1.0 / band.high;
  j["high"] = band.low > 0 ? Json(1.0 / band.low) : Json();
  return j;
}

}  // namespace

std::vector<std::string> published_runs(const std::string& study) {
  std::vector<std::string> paths;
  const fs::path folder = data_root() / "results";
  const std::string ending = "-" + study + kEnding;
  if (study.empty() || !fs::is_directory(folder)) return paths;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.size() == kDate.size() + ending.size() && name.ends_with(ending))
      paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

Json history_json(const std::vector<Record>& now, const std::vector<std::string>& earlier) {
  Json list = Json::array();
  if (now.empty()) return list;
  RunRounds after;
  after.rounds = {one_each(now)};
  for (const std::string& path : earlier) {
    RunRounds before;
    before.rounds = {one_each(read_records({path}))};
    const std::vector<Record>& then = before.rounds.front();
    if (programs_of(then) == programs_of(now)) continue;
    Json groups = Json::array();
    try {
      for (const ComparedGroup& g : compare_runs(before, after).groups) {
        if (g.compared > 0) groups.push_back(compared_json(g));
      }
    } catch (const InputError&) {  // nothing in common
      continue;
    }
    list.push_back({{"label", label_of(path)},
                    {"same_machine", machines_of(then) == machines_of(now)},
                    {"groups", groups}});
  }
  return list;
}

}  // namespace perp
