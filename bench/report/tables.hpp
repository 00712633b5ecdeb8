// Measured tables of a study: files that a report takes in.
#pragma once

#include <string>
#include <vector>

namespace perp {

/// A table as it is shown. Cells are plain text; in "`...`" they are names.
struct StudyTable {
  std::string name, title, caption;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;  ///< each as long as the head
  std::string missing;                         ///< why cells are empty; "": none is
};

/// Reads tables/*.json of every path that is a folder with some: {"format": "perp-table",
/// "version": 1, "name", "title", "caption", "head", "rows", "missing"}. @throws InputError naming
/// file and field.
std::vector<StudyTable> read_tables(const std::vector<std::string>& paths);

}  // namespace perp
