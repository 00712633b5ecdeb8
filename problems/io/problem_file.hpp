// Problems from and to files of any known format.
#pragma once

#include <perp/problems/io/part_files.hpp>
#include <perp/problems/standard/problem.hpp>
#include <string>
#include <vector>

namespace perp {

/// A format of files, and how it is read and written.
struct FormatInfo {
  std::string_view name;                  ///< for --from and --to
  std::vector<std::string_view> endings;  ///< the first one is of files that are written
  /// @param shown the file in messages @param given files of fields, empty unless `in_parts`.
  /// nullptr: it is not read
  Problem (*read)(const std::string& path, const std::string& shown, const PartFiles& given);
  /// The whole file. nullptr: it is not written, or is in parts
  std::string (*to_text)(const Problem& problem);
  bool in_parts = false;  ///< a file for each matrix and vector
  /// @return the files written. nullptr: it is not written in parts
  std::vector<std::string> (*write_parts)(const Problem& problem,
                                          const std::string& path) = nullptr;

  /// The ending of files that are written.
  std::string_view ending() const { return endings.front(); }
  std::string endings_text() const;  ///< ".hdf5, .h5"
  /// Whether files of the format are written.
  bool can_write() const { return to_text || write_parts; }
};
/// All formats.
const std::vector<FormatInfo>& problem_formats();

/// Whether the ending of a path is of a format that has a file for each matrix and vector.
bool is_in_parts(const std::string& path);

/// @param format a name, or "" to go by the longest ending that a format has, each also with .gz;
/// what has none is perp's own. "-" is standard input. Names of variables stand in a .col file
/// beside an .nl file. Of formats mtx and csv the path names a folder or one of the files
/// (read_parts). FILE.jsonl:17 is the 17th problem of a sequence.
/// @param given files of q, lower and upper beside a matrix M, of formats mtx and csv alone
/// @throws InputError: one line naming the file, the field and the fault.
Problem read_problem(const std::string& path, const std::string& format = "",
                     const PartFiles& given = {});

/// The files that read_problem() reads, those of all fields of formats mtx and csv.
/// @throws InputError if there are none of these
std::vector<std::string> files_read(const std::string& path, const std::string& format = "",
                                    const PartFiles& given = {});

/// Written to a temporary file first, then renamed; names beside an .nl file go to a .col file.
/// Format mtx (.mtx) writes a file for each matrix and vector: model.M.mtx for model.mtx.
/// @return the files written, without a .col file @throws InputError
std::vector<std::string> write_problem(const Problem& problem, const std::string& path,
                                       const std::string& format = "");

/// The files that write_problem() would write, replace or remove for some problem.
/// @throws InputError if no format that is written has this name, or the ending of the path
std::vector<std::string> files_written(const std::string& path, const std::string& format = "");

/// What write_problem() would write to one file, perp's own format if none is named.
/// @throws InputError, also if the format has several files
std::string problem_text(const Problem& problem, const std::string& format = "");

}  // namespace perp
