// The folder of a collection: whole or not there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace perp {

/// What a collection is known by.
inline constexpr const char* kIndexFile = "index.json";

/// A file of a collection.
struct CollectionFile {
  std::string path;  ///< from the collection's folder, with '/'
  std::uintmax_t bytes = 0;
  std::string sha256;
};

/// Files are written into a hidden folder within, and put in their places when all are there. What
/// is in the folder before belongs to its owner: only a collection, with nothing else in it, is
/// replaced, and only when asked. Without commit() everything written goes away.
class CollectionFolder {
 public:
  /// Looks only. @throws InputError where the folder cannot be had: it holds other things, or a
  /// collection that is not to be replaced
  CollectionFolder(std::string folder, bool overwrite);
  ~CollectionFolder();
  CollectionFolder(const CollectionFolder&) = delete;
  CollectionFolder& operator=(const CollectionFolder&) = delete;

  /// Makes the folder, and the hidden one. @throws InputError
  void open();
  /// Writes a file; one whose name ends in .gz is packed. @throws InputError
  CollectionFile write(const std::string& path, std::string_view bytes);
  /// Where a file stands while the collection is not complete.
  std::string place_of(const std::string& path) const;
  const std::vector<CollectionFile>& files() const { return files_; }
  /// SHA256SUMS of what was written, as sha256sum -c reads it.
  std::string checksums() const;
  /// Puts the files in their places; `last` after all others. @throws InputError
  void commit(const std::string& last);

 private:
  void retire_old();
  void put(const std::string& name);
  void take_back();

  std::string folder_, made_;  // made_: the first folder on the way that was not there
  bool overwrite_;
  std::string hidden_, retired_;          // folders of our own within, empty while there are none
  std::vector<std::string> old_;          // names in the folder that are replaced
  std::vector<std::string> moved_, put_;  // by commit, as long as it is at work
  std::vector<CollectionFile> files_;
};

}  // namespace perp
