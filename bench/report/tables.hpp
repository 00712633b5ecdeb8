// Measured tables of a study: files for a report.
#pragma once

#include <string>
#include <vector>

namespace perp {

/// A table for display. Cells are plain text; "`...`" marks a name.
struct StudyTable {
  std::string name, title, caption;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;  ///< each has as many cells as the head
  std::string missing;                         ///< reason why cells are empty; "" if none is
};

/// Reads the files tables/*.json of every path that is a folder with such files: {"format":
/// "perp-table", "version": 1, "name", "title", "caption", "head", "rows", "missing"}. @throws
/// InputError with file and field if one is wrong
std::vector<StudyTable> read_tables(const std::vector<std::string>& paths);

}  // namespace perp
