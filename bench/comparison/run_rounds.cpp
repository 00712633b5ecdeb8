#include <perp/bench/comparison/run_rounds.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <perp/bench/report/summary.hpp>
#include <perp/problems/json/json.hpp>

namespace perp {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> round_folders(const std::string& path) {
  std::vector<std::string> folders;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path, error)) {
    const bool is_round = entry.path().filename().string().starts_with("round-");
    if (is_round && entry.is_directory(error)) folders.push_back(entry.path().string());
  }
  if (error) throw InputError(fmt::format("{}: cannot be read ({})", path, error.message()));
  std::sort(folders.begin(), folders.end(), [](const std::string& a, const std::string& b) {
    return sorted_name(a) < sorted_name(b);
  });
  return folders;
}

}  // namespace

std::vector<Record> RunRounds::all() const {
  std::vector<Record> records;
  for (const std::vector<Record>& round : rounds)
    records.insert(records.end(), round.begin(), round.end());
  return records;
}

RunRounds read_rounds(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) throw InputError(fmt::format("{}: there is no such run", path));
  std::vector<std::string> places = {path};
  if (fs::is_directory(path, error)) {
    const std::vector<std::string> folders = round_folders(path);
    if (!folders.empty() && holds_records(path)) {
      throw InputError(fmt::format(
          "{}: holds records and also folders round-*; give a folder with only one of them", path));
    }
    if (!folders.empty()) places = folders;
  }
  RunRounds run{path, {}, 0};
  for (const std::string& place : places) {
    const std::vector<Record> read = read_records({place});
    if (read.empty()) throw InputError(fmt::format("{}: holds no run records", place));
    run.rounds.push_back(one_each(read));
    run.repeated += static_cast<int>(read.size() - run.rounds.back().size());
  }
  return run;
}

}  // namespace perp
