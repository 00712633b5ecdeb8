// Claims of papers compared with measurements: files for a report.
#pragma once

#include <string>
#include <vector>

namespace perp {

/// A claim with the verdict on it.
struct Claim {
  std::string claim, experiment, measured;
  std::string verdict;  ///< "holds", "holds in part", "does not hold" or "not tested"
};

/// The claims of one paper with the measurements.
struct ClaimTable {
  std::string title, caption;
  std::vector<Claim> claims;
};

/// Whether a folder has files of claims.
bool holds_claims(const std::string& path);

/// Reads the files claims/*.json of every path that is a folder with such files: {"format":
/// "perp-claims", "version": 1, "title", "caption", "claims": [{"claim", "experiment", "measured",
/// "verdict"}]}.
/// @throws InputError with file and field if one is wrong
std::vector<ClaimTable> read_claims(const std::vector<std::string>& paths);

}  // namespace perp
