#include <perp/bench/studies/study_folder.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>
#include <filesystem>
#include <perp/bench/simulation/run_folder.hpp>
#include <perp/bench/studies/evidence.hpp>
#include <perp/problems/io/files.hpp>
#include <perp/problems/json/text.hpp>

namespace perp {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json study_document(const std::string& path) {
  if (!fs::is_regular_file(path)) return {};
  return Json::parse(read_text_file(path), nullptr, false);
}

void write_study_document(const std::string& path, const Json& value) {
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  if (error)
    throw InputError(fmt::format("{}: cannot be created ({})",
                                 fs::path(path).parent_path().string(), error.message()));
  write_text_file(path, value.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

namespace {

// If several shards start at once, only one at a time may check and claim the folder.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw InputError(fmt::format("{}: cannot be created ({})", folder, error.message()));
    folder_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder_ >= 0) ::flock(folder_, LOCK_EX);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock() {
    if (folder_ >= 0) ::close(folder_);
  }

 private:
  int folder_ = -1;
};

Json simulation_names(const Study& study) {
  Json names = Json::array();
  for (const StudySimulation& s : study.simulations) names.push_back(s.folder);
  return names;
}

// Removes the files that a study wrote, and nothing else.
void remove_old(const std::string& of, const Json& before) {
  const fs::path folder = of;
  for (const Json& name : before.value("simulations", Json::array())) {
    const std::string text = name.is_string() ? name.get<std::string>() : "..";
    if (text.find("..") != text.npos) continue;  // no study has such a name
    const fs::path place = simulation_folder(of, text);
    std::error_code error;
    if (!fs::is_directory(place)) continue;
    clear_run_folder(place.string());
    fs::remove(place / "run.json", error);
  }
  std::error_code error;
  for (const char* sub : {"runs", "claims", "tables"}) {
    if (!fs::is_directory(folder / sub)) continue;
    for (const auto& entry : fs::directory_iterator(folder / sub)) {
      if (entry.path().extension() == ".json") fs::remove(entry.path(), error);
    }
  }
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("records") && name.ends_with(".jsonl")) fs::remove(entry.path(), error);
  }
}

// Refuses the run of another study, and one that has more or fewer instances than this one.
void expect_same_study(const Study& study, const std::string& folder, const Json& held) {
  const std::string name = held.value("study", "?");
  const bool quick = held.value("quick", false);
  if (name != study.name) {
    throw InputError(fmt::format("{}: holds the study {}, not {}; give another folder", folder,
                                 shown(name), study.name));
  }
  if (quick && !study.quick) {
    throw InputError(fmt::format(
        "{}: holds the study {}, run with --quick; add --quick, or give another folder for the "
        "whole study",
        folder, study.name));
  }
  if (!quick && study.quick) {
    throw InputError(fmt::format(
        "{}: holds the whole study {}; leave out --quick, or give another folder for the run with "
        "--quick",
        folder, study.name));
  }
}

}  // namespace

void check_study_folder(const Study& study, const std::string& folder) {
  const Json held = study_document((fs::path(folder) / "study.json").string());
  if (!held.is_object())
    throw InputError(fmt::format("{}: holds no study; its study.json is missing", folder));
  expect_same_study(study, folder, held);
}

void claim_study_folder(const Study& study, const StudyRequest& request) {
  const FolderLock lock(request.folder);
  const fs::path folder = request.folder;
  const std::string marker = (folder / "study.json").string();
  const Json before = study_document(marker);
  const bool empty = fs::is_empty(folder);
  if (!empty && !before.is_object()) {
    throw InputError(
        fmt::format("{}: is not empty, but holds no study; give another folder", request.folder));
  }
  if (!empty && !request.resume && !request.overwrite) {
    throw InputError(
        fmt::format("{}: holds a study; --resume goes on with it, --overwrite "
                    "replaces it",
                    request.folder));
  }
  const Json now{{"format", "perp-study-folder"}, {"version", 1},
                 {"study", study.name},           {"title", study.title},
                 {"quick", study.quick},          {"simulations", simulation_names(study)}};
  if (!empty && request.resume) expect_same_study(study, request.folder, before);
  if (!empty && request.overwrite) remove_old(request.folder, before);
  write_study_document(marker, now);
}

}  // namespace perp
