#include <perp/bench/simulation/run_folder.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <perp/problems/io/files.hpp>
#include <perp/problems/json/json.hpp>
#include <string_view>
#include <vector>

namespace perp {

namespace fs = std::filesystem;

namespace {

// A file of a record, and the text at its beginning.
struct RecordPart {
  const char* name;
  std::string_view head;
};

constexpr std::array<RecordPart, 6> kParts = {
    {{"trajectory.csv", "step,t,"},
     {"contacts.csv", "step,t,"},
     {"shapes.json", R"({"format":"perp-shapes",)"},
     {"joints.csv", "step,t,"},
     {"steps.csv", "step,t,"},
     {"problems.jsonl", R"({"format":"perp-sequence",)"}}};
constexpr std::string_view kProblemHead = R"({"format":"perp-problem","version":1,)";
// bytes at the beginning of a file that are read to identify it
constexpr std::size_t kLookedAt = 4096;

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

bool is_plain_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(fs::symlink_status(path, error));
}

std::string beginning(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kLookedAt, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  return text;
}

// Also true for an empty file: a run may have been killed when it had just made the file.
bool begins_with(const fs::path& path, std::string_view head) {
  const std::string text = beginning(path);
  return text.starts_with(head) || text.empty();
}

[[noreturn]] void refuse(const fs::path& path, std::string_view why) {
  throw InputError(fmt::format("{}: {}; perp replaces only its own records, so name another folder",
                               path.string(), why));
}

bool is_run_json(const fs::path& path) {
  if (!is_plain_file(path)) return false;
  std::ifstream file(path);
  const auto j = nlohmann::json::parse(file, nullptr, false);
  return j.is_object() && j.contains("scene") && j.contains("complete") && j.contains("steps") &&
         j.contains("versions") && j["versions"].is_object() && j["versions"].contains("perp");
}

// NNNNNN-STAGE.json
bool is_problem_name(const std::string& name) {
  const auto digits = static_cast<std::size_t>(
      std::find_if_not(name.begin(), name.end(),
                       [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }) -
      name.begin());
  return digits >= 6 && digits < name.size() && name[digits] == '-' && name.ends_with(".json");
}

// A recorded problem has the name SCENE-NNNNNN-STAGE, with the NNNNNN-STAGE of its file.
bool is_recorded_problem(const fs::path& path) {
  if (!is_plain_file(path)) return false;
  const std::string text = beginning(path);
  return text.starts_with(kProblemHead) &&
         text.find(fmt::format(R"(-{}","n":)", path.stem().string())) != std::string::npos;
}

// The problem files of a run. @throws InputError if another file has such a name
std::vector<fs::path> recorded_problems(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!is_problem_name(entry.path().filename().string())) continue;
    if (!is_recorded_problem(entry.path()))
      refuse(entry.path(), "has the name of a recorded problem, but is not one");
    files.push_back(entry.path());
  }
  return files;
}

// The files of an earlier run. @throws InputError if something else has their names
std::vector<fs::path> earlier_files(const fs::path& root) {
  std::vector<fs::path> files;
  const fs::path run = root / "run.json", problems = root / "problems";
  const bool is_record = is_run_json(run);
  if (is_there(run) && !is_record) refuse(run, "is not that of a recorded run");
  for (const RecordPart& part : kParts) {
    const fs::path path = root / part.name;
    if (!is_there(path)) continue;
    if (!is_record) refuse(path, "is there without the run.json of a recorded run");
    if (!is_plain_file(path) || !begins_with(path, part.head))
      refuse(path, "is not that of a recorded run");
    files.push_back(path);
  }
  std::error_code error;
  if (is_there(problems) && !fs::is_directory(fs::symlink_status(problems, error)))
    refuse(problems, "is not a folder, or is only a link to one");
  if (is_there(problems)) {
    if (!is_record && !fs::is_empty(problems))
      refuse(problems, "is there without the run.json of a recorded run");
    const std::vector<fs::path> recorded = recorded_problems(problems);
    files.insert(files.end(), recorded.begin(), recorded.end());
  }
  return files;
}

}  // namespace

void clear_run_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw InputError(fmt::format("{}: cannot be created ({})", folder, error.message()));
  try {
    for (const fs::path& file : earlier_files(folder)) fs::remove(file);
  } catch (const fs::filesystem_error& fault) {
    throw InputError(fmt::format("{}: cannot be used ({})", folder, fault.code().message()));
  }
  fs::remove(fs::path(folder) / "problems",
             error);  // fails, as it should, if there are other files in it
}

}  // namespace perp
