#include <perp/bench/harness/record_file.hpp>

#include <fmt/format.h>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <perp/problems/io/files.hpp>
#include <perp/problems/json/json.hpp>

namespace perp {

namespace fs = std::filesystem;
using SortedJson = nlohmann::json;

namespace {

constexpr std::string_view kHead = R"({"format":"perp-record",)";

bool is_record(const SortedJson& j) {
  return j.is_object() && j.contains("key") && j["key"].is_string() && j.contains("outcome") &&
         j["outcome"].is_string();
}

// Bytes of the complete lines in a file of records. @throws InputError if it holds something else
long size_of_records(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(fmt::format("{}: cannot be read", path));
  long size = 0;
  int number = 1;
  for (std::string line; std::getline(file, line); ++number) {
    const bool whole = !file.eof();
    const std::string_view head = std::string_view(line).substr(0, kHead.size());
    const bool fine = whole ? line.empty() || is_record(SortedJson::parse(line, nullptr, false))
                            : kHead.starts_with(head);
    if (!fine) {
      throw InputError(
          fmt::format("{}: line {}: not a run record, so that nothing is appended", path, number));
    }
    if (whole) size += static_cast<long>(line.size()) + 1;
  }
  return size;
}

}  // namespace

RecordFile::RecordFile(std::string path, OldRecords old) : path_(std::move(path)), old_(old) {
  size_to_keep();
}

// Bytes of the file that stay: those of complete lines.
long RecordFile::size_to_keep() const {
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  if (!fs::exists(status)) return 0;
  if (!fs::is_regular_file(status)) throw InputError(fmt::format("{}: is not a file", path_));
  if (old_ == OldRecords::kRefuse && fs::file_size(path_, error) > 0) {
    throw InputError(fmt::format(
        "{}: holds records of an earlier run; --resume adds to them, --overwrite replaces them",
        path_));
  }
  return old_ == OldRecords::kKeep ? size_of_records(path_) : 0;
}

void RecordFile::open() {
  file_ = AppendFile(path_);
  file_.keep(size_to_keep());
}

void RecordFile::add(const std::string& line) { file_.add(line + "\n"); }

std::map<std::string, std::string> known_outcomes(const std::string& folder) {
  std::map<std::string, std::string> outcomes;
  if (!fs::is_directory(folder)) return outcomes;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".jsonl") continue;
    std::ifstream file(entry.path());
    for (std::string line;
         std::getline(file, line) && !file.eof();) {  // an incomplete last line does not count
      const SortedJson j = SortedJson::parse(line, nullptr, false);
      if (is_record(j)) outcomes[j["key"].get<std::string>()] = j["outcome"].get<std::string>();
    }
  }
  return outcomes;
}

}  // namespace perp
