#include <perp/bench/collection/folder.hpp>

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <perp/bench/collection/sha256.hpp>
#include <perp/problems/io/files.hpp>
#include <perp/problems/json/json.hpp>
#include <set>

namespace perp {

namespace fs = std::filesystem;

namespace {

constexpr const char* kChecksums = "SHA256SUMS";
constexpr std::string_view kIndexHead = R"({"format":"perp-collection",)";
constexpr std::string_view kHidden = ".perp-collection-";
constexpr std::size_t kHashDigits = 64;  // of a SHA-256 checksum

[[noreturn]] void fail(const fs::path& path, std::string_view what, const std::error_code& error) {
  throw InputError(fmt::format("{}: {} ({})", path.string(), what, error.message()));
}

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file) throw InputError(fmt::format("{}: cannot be read", path.string()));
  return bytes;
}

// The files that the index of an existing collection lists; empty if there is no collection.
std::set<std::string> listed_files(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(folder / kIndexFile, error)) ||
      !fs::is_regular_file(fs::symlink_status(folder / kChecksums, error)))
    return {};
  std::string head(kIndexHead.size(), '\0');
  std::ifstream(folder / kIndexFile).read(head.data(), static_cast<std::streamsize>(head.size()));
  if (head != kIndexHead) return {};
  std::set<std::string> files = {kChecksums};
  std::ifstream list(folder / kChecksums);
  for (std::string line; std::getline(list, line);) {
    if (line.size() > kHashDigits + 2) files.insert(line.substr(kHashDigits + 2));
  }
  return files;
}

// An entry of the folder that is no file of the collection; empty if there is none.
std::string foreign_entry(const fs::path& folder, const std::set<std::string>& files) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().lexically_relative(folder).generic_string();
    const fs::file_status status = entry.symlink_status();
    const auto next = files.lower_bound(path + "/");
    const bool leads_to_one = next != files.end() && next->starts_with(path + "/");
    if (fs::is_directory(status) ? leads_to_one : fs::is_regular_file(status) && files.count(path))
      continue;
    return path;
  }
  return {};
}

}  // namespace

CollectionFolder::CollectionFolder(std::string folder, bool overwrite)
    : folder_(std::move(folder)), overwrite_(overwrite) {
  std::error_code error;
  if (!fs::exists(folder_, error)) return;
  if (!fs::is_directory(folder_, error))
    throw InputError(fmt::format("{}: is not a folder", folder_));
  try {
    const std::set<std::string> files = listed_files(folder_);
    const std::string foreign = foreign_entry(folder_, files);
    if (foreign.starts_with(kHidden)) {
      throw InputError(
          fmt::format("{}/{}: belongs to another export that is still running or was killed; "
                      "remove it if none is running",
                      folder_, foreign));
    }
    if (!foreign.empty()) {
      throw InputError(fmt::format(
          "{}: holds {}, which is not part of a collection; name a folder that is empty or new",
          folder_, foreign));
    }
    if (files.empty()) return;
    if (!overwrite_) {
      throw InputError(
          fmt::format("{}: holds a collection already; --overwrite replaces it", folder_));
    }
    for (const auto& entry : fs::directory_iterator(folder_))
      old_.push_back(entry.path().filename().string());
  } catch (const fs::filesystem_error& fault) {
    throw InputError(fmt::format("{}: cannot be read ({})", folder_, fault.code().message()));
  }
}

CollectionFolder::~CollectionFolder() {
  std::error_code ignored;
  if (!hidden_.empty()) fs::remove_all(hidden_, ignored);
  if (!retired_.empty()) fs::remove_all(retired_, ignored);
  if (made_.empty()) return;
  // Removes the folders that were made but stayed empty.
  for (fs::path path = folder_; fs::remove(path, ignored); path = path.parent_path()) {
    if (path == made_) return;
  }
}

void CollectionFolder::open() {
  folder_ = fs::path(folder_).lexically_normal().string();
  if (folder_.size() > 1 && folder_.ends_with('/')) folder_.pop_back();
  std::error_code error;
  for (fs::path path = folder_; !path.empty() && !fs::exists(path, error);
       path = path.parent_path())
    made_ = path.string();
  fs::create_directories(folder_, error);
  if (error) fail(folder_, "cannot be created", error);
  hidden_ = (fs::path(folder_) / fmt::format("{}{}", kHidden, getpid())).string();
  if (!fs::create_directory(hidden_, error) || error) {
    const std::string hidden = std::move(hidden_);
    hidden_.clear();
    fail(hidden, "cannot be created", error);
  }
}

std::string CollectionFolder::place_of(const std::string& path) const {
  return (fs::path(hidden_) / path).string();
}

CollectionFile CollectionFolder::write(const std::string& path, std::string_view bytes) {
  const fs::path place = place_of(path);
  std::error_code error;
  fs::create_directories(place.parent_path(), error);
  if (error) fail(place.parent_path(), "cannot be created", error);
  write_text_file(place.string(), bytes);
  const std::string written = bytes_of(place);  // what is on the disk: packed, perhaps damaged
  files_.push_back({path, written.size(), sha256_text(written)});
  return files_.back();
}

std::string CollectionFolder::checksums() const {
  std::vector<CollectionFile> files = files_;
  std::sort(files.begin(), files.end(),
            [](const CollectionFile& a, const CollectionFile& b) { return a.path < b.path; });
  std::string text;
  for (const CollectionFile& file : files) text += file.sha256 + "  " + file.path + '\n';
  return text;
}

void CollectionFolder::retire_old() {
  if (old_.empty()) return;
  retired_ = hidden_ + "-old";
  fs::create_directory(retired_);
  for (const std::string& name : old_) {
    fs::rename(fs::path(folder_) / name, fs::path(retired_) / name);
    moved_.push_back(name);
  }
}

void CollectionFolder::put(const std::string& name) {
  fs::rename(fs::path(hidden_) / name, fs::path(folder_) / name);
  put_.push_back(name);
}

// Puts the folder back into its state before commit().
void CollectionFolder::take_back() {
  std::error_code ignored;
  for (const std::string& name : put_)
    fs::rename(fs::path(folder_) / name, fs::path(hidden_) / name, ignored);
  for (const std::string& name : moved_)
    fs::rename(fs::path(retired_) / name, fs::path(folder_) / name, ignored);
  if (ignored) retired_.clear();  // keep the folder: it holds files that could not be put back
}

void CollectionFolder::commit(const std::string& last) {
  try {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(hidden_))
      names.insert(entry.path().filename().string());
    retire_old();
    for (const std::string& name : names) {
      if (name != last) put(name);
    }
    put(last);
  } catch (const fs::filesystem_error& fault) {
    take_back();
    throw InputError(fmt::format("{}: cannot be written ({})", folder_, fault.code().message()));
  }
  made_.clear();
}

}  // namespace perp
