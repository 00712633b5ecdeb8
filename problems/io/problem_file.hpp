// Problems from and to files of any known format.
#pragma once

#include <perp/problems/standard/problem.hpp>
#include <string>
#include <vector>

namespace perp {

struct FormatInfo {
  std::string_view name;     ///< for --from and --to
  std::string_view ending;   ///< of files that are written
  std::string_view endings;  ///< for people
  bool reads = true, writes = true;
};
const std::vector<FormatInfo>& problem_formats();

/// @param format a name, or "" to go by the ending (.mof.json: mof; other .json: perp; .nl: nl;
/// .hdf5, .h5: fclib; .qps, .mps, .sif: qps; .dat, .txt: siconos; each also with .gz). "-" is
/// standard input. Names of variables stand in a .col file beside an .nl file. @throws InputError:
/// one line naming the file, the field and the fault.
Problem read_problem(const std::string& path, const std::string& format = "");

/// Written to a temporary file first, then renamed; names beside an .nl file go to a .col file.
/// Format mtx (.mtx) writes a file for each matrix and vector: model.M.mtx for model.mtx.
/// @return the files written, without a .col file @throws InputError
std::vector<std::string> write_problem(const Problem& problem, const std::string& path,
                                       const std::string& format = "");

}  // namespace perp
