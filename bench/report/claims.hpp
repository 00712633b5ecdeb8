// Claims of papers against what was measured: files that a report takes in.
#pragma once

#include <string>
#include <vector>

namespace perp {

struct Claim {
  std::string claim, experiment, measured;
  std::string verdict;  ///< "holds", "holds in part", "does not hold" or "not tested"
};

/// What was measured of one paper.
struct ClaimTable {
  std::string title, caption;
  std::vector<Claim> claims;
};

/// Whether a folder has files of claims.
bool holds_claims(const std::string& path);

/// Reads claims/*.json of every path that is a folder with some: {"format": "perp-claims",
/// "version": 1, "title", "caption", "claims": [{"claim", "experiment", "measured", "verdict"}]}.
/// @throws InputError naming file and field.
std::vector<ClaimTable> read_claims(const std::vector<std::string>& paths);

}  // namespace perp
