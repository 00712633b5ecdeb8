// The file to which a benchmark writes its records.
#pragma once

#include <map>
#include <perp/bench/simulation/append_file.hpp>
#include <string>

namespace perp {

/// What to do with records that exist already.
enum class OldRecords {
  kRefuse,  ///< refuse to write if there are some
  kKeep,    ///< append the new ones
  kReplace
};

/// Appends lines, each completely or not at all. The file is valid whenever the process ends.
class RecordFile {
 public:
  /// Checks the file and writes nothing yet. @throws InputError if there are records and `old` is
  /// kRefuse, or if the file holds something else
  RecordFile(std::string path, OldRecords old);

  /// Opens the file. An incomplete last line, left by a run that was killed, is dropped.
  /// @throws InputError if the file cannot be written or another process writes it, and as the
  /// constructor, if it has changed since
  void open();
  /// In a child process: closes its copy of the file.
  void leave() { file_.leave(); }
  /// Appends a line. @throws InputError if it cannot be written, for example on a full disk
  void add(const std::string& line);

  const std::string& path() const { return path_; }

 private:
  long size_to_keep() const;

  std::string path_;
  OldRecords old_;
  AppendFile file_;
};

/// Outcomes of the runs recorded in a folder, by key. @throws InputError as read_records()
std::map<std::string, std::string> known_outcomes(const std::string& folder);

}  // namespace perp
