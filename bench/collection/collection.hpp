// A collection of instances to hand on: problems in several formats, verified answers, an index.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace perp {

/// What to export.
struct CollectionRequest {
  std::string folder;
  std::string recipe;      ///< a suite or suite file; empty: problems/recipes/collection.json
  bool quick = false;      ///< without the entries of tier "full"
  bool overwrite = false;  ///< replaces an existing collection
  bool gzip = false;       ///< packs all files of instances except those in HDF5
};

/// Numbers of instances.
struct CollectionCounts {
  int instances = 0, solved = 0, proofs = 0, open = 0;
};

/// What was exported.
struct CollectionSummary {
  std::map<std::string, CollectionCounts> kinds;  ///< by kind
  CollectionCounts all;
  std::size_t files = 0;
  std::uintmax_t bytes = 0;
  std::vector<std::string> notes;  ///< about the recipe, one line each
  /// names of instances ended by a time limit; another run may end differently
  std::vector<std::string> by_clock;
  bool interrupted = false;  ///< by a signal; nothing was kept
};

using CollectionProgress =
    std::function<void(int done, int total, const std::string& name, std::string_view label)>;

/// Makes the instances of the recipe, looks for answers, writes all files, reads them back and
/// verifies them again. The same build writes the same bytes for the same recipe. A signal noted by
/// InterruptGuard ends it.
/// @throws InputError if the recipe is wrong, a stored file has no licence, two instances have the
/// same name, or a file cannot be written. The folder is then as it was before.
CollectionSummary export_collection(const CollectionRequest& request,
                                    const CollectionProgress& progress);

}  // namespace perp
