// A set of instances for others: problems in several formats, verified answers, an index.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace perp {

struct CollectionRequest {
  std::string folder;
  std::string recipe;      ///< a suite or suite file; empty: problems/recipes/collection.json
  bool quick = false;      ///< without the entries of tier "full"
  bool overwrite = false;  ///< replaces a collection that is there
  bool gzip = false;       ///< packs all files of instances but those of HDF5
};

struct CollectionCounts {
  int instances = 0, solved = 0, proofs = 0, open = 0;
};

struct CollectionSummary {
  std::map<std::string, CollectionCounts> kinds;  ///< by kind
  CollectionCounts all;
  std::size_t files = 0;
  std::uintmax_t bytes = 0;
  std::vector<std::string> notes;     ///< of the recipe, one line each
  std::vector<std::string> by_clock;  ///< instances that a time limit ended, whose end may differ
  bool interrupted = false;           ///< nothing was kept
};

using CollectionProgress =
    std::function<void(int done, int total, const std::string& name, std::string_view label)>;

/// Makes the instances of the recipe, looks for answers, reads back what it wrote and verifies it
/// again. The same recipe gives the same bytes with one build. A signal that was noted
/// (InterruptGuard) ends it.
/// @throws InputError: the recipe, a stored file without a licence, two instances of one name, what
/// cannot be written. The folder is then as it was.
CollectionSummary export_collection(const CollectionRequest& request,
                                    const CollectionProgress& progress);

}  // namespace perp
