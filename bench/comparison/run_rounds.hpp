// What perp bench wrote of one build, once or in several rounds.
#pragma once

#include <perp/bench/harness/record.hpp>
#include <string>
#include <vector>

namespace perp {

/// The records of a build, by round.
struct RunRounds {
  std::string path;
  std::vector<std::vector<Record>> rounds;
  int repeated = 0;  ///< records left out since another one of the same run came after them

  std::vector<Record> all() const;
};

/// Reads a record file, a folder with some (one round), or a folder with folders round-*, each of
/// them a round.
/// @throws InputError naming file, line and field
RunRounds read_rounds(const std::string& path);

}  // namespace perp
