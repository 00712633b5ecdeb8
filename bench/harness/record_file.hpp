// The file that a benchmark's records go to.
#pragma once

#include <map>
#include <perp/bench/simulation/append_file.hpp>
#include <string>

namespace perp {

/// What to do about records that are there already.
enum class OldRecords {
  kRefuse,  ///< nothing is written where there are some
  kKeep,    ///< new ones are appended
  kReplace
};

/// Appends lines, each of them whole or not at all; the file is valid whenever the process ends.
class RecordFile {
 public:
  /// Looks at what is there and writes nothing yet. @throws InputError: records are there and
  /// `old` is kRefuse, or what is there are no records.
  RecordFile(std::string path, OldRecords old);

  /// From here on the file is open; a line that a killed run left cut off is dropped.
  /// @throws InputError where it cannot be written
  void open();
  /// @throws InputError where it cannot be written, as on a full disk
  void add(const std::string& line);

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  long size_ = 0;  // of the whole lines that are there
  AppendFile file_;
};

/// Outcomes of the runs recorded in a folder, by key.
std::map<std::string, std::string> known_outcomes(const std::string& folder);

}  // namespace perp
