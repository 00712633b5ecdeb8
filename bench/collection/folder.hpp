// The folder of a collection: written completely or not at all.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace perp {

/// File that marks a folder as a collection.
inline constexpr const char* kIndexFile = "index.json";

/// A file of a collection.
struct CollectionFile {
  std::string path;  ///< relative to the collection's folder, with '/'
  std::uintmax_t bytes = 0;
  std::string sha256;
};

/// Files are first written to a hidden folder inside. commit() moves them to their places. Files
/// that are in the folder already belong to the user: only a collection with nothing else in it is
/// replaced, and only if that was asked for. Without commit() the destructor removes all that was
/// written.
class CollectionFolder {
 public:
  /// Only checks the folder. @throws InputError if it holds other files, or a collection that must
  /// not be replaced
  CollectionFolder(std::string folder, bool overwrite);
  ~CollectionFolder();
  CollectionFolder(const CollectionFolder&) = delete;
  CollectionFolder& operator=(const CollectionFolder&) = delete;

  /// Makes the folder and the hidden one inside. @throws InputError if that fails
  void open();
  /// Writes a file; if its name ends in .gz, it is packed. @throws InputError if that fails
  CollectionFile write(const std::string& path, std::string_view bytes);
  /// Where a file stands while the collection is not complete.
  std::string place_of(const std::string& path) const;
  const std::vector<CollectionFile>& files() const { return files_; }
  /// SHA256SUMS of the files written, in the format that sha256sum -c reads.
  std::string checksums() const;
  /// Moves the files to their places, `last` after all others. @throws InputError if that fails;
  /// the folder is then as before
  void commit(const std::string& last);

 private:
  void retire_old();
  void put(const std::string& name);
  void take_back();

  std::string folder_, made_;  // made_: the first folder of the path that did not exist
  bool overwrite_;
  std::string hidden_, retired_;          // own folders inside; empty if not made yet
  std::vector<std::string> old_;          // names of files in the folder that are replaced
  std::vector<std::string> moved_, put_;  // what commit() has done so far
  std::vector<CollectionFile> files_;
};

}  // namespace perp
