// perp export --collection: a set of instances for others.
#pragma once

#include <set>
#include <string>

namespace CLI {
class App;
}

namespace perp::cli {

/// The options of perp export that a collection has.
struct CollectionOptions {
  std::string folder, recipe;
  bool quick = false, overwrite = false;
};

void add_collection_options(CLI::App& verb, CollectionOptions& options);

/// @param given the options of perp export that are on the command line
/// @throws std::invalid_argument if some of them do not go together: names and options of single
/// exports with --collection, or options of collections without
void check_collection_options(const std::set<std::string>& given);

/// @return the exit code
int write_collection(const CollectionOptions& options, bool gzip);

}  // namespace perp::cli
