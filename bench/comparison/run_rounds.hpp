// Records that perp bench wrote for one build, in one round or several.
#pragma once

#include <perp/bench/harness/record.hpp>
#include <string>
#include <vector>

namespace perp {

/// The records of a build, by round.
struct RunRounds {
  std::string path;
  std::vector<std::vector<Record>> rounds;
  int repeated = 0;  ///< records left out because a later one of the same run follows

  /// The records of all rounds, in order.
  std::vector<Record> all() const;
};

/// Reads a record file, a folder with record files (one round), or a folder with folders round-*
/// (one round each).
/// @throws InputError with file, line and field if that fails
RunRounds read_rounds(const std::string& path);

}  // namespace perp
