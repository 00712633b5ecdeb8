// The folder in which a run is recorded.
#pragma once

#include <string>

namespace perp {

/// Prepares the folder for the record of a run: makes it if there is none, and removes the record
/// of an earlier run, file by file. Files that perp did not write stay.
/// @throws InputError if files with the names of a record are not part of a record, if there are
/// links or other things in their place, or if the folder cannot be written; nothing is removed in
/// the first two cases
void clear_run_folder(const std::string& folder);

}  // namespace perp
