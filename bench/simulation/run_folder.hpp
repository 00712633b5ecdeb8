// The folder that a run is recorded in.
#pragma once

#include <string>

namespace perp {

/// Makes room for the record of a run: makes the folder where there is none, and removes what an
/// earlier run recorded in it, file by file. What perp did not write stays, and where it is in the
/// way nothing is touched.
/// @throws InputError where the folder holds files of the names that a record has and is no
/// record, links or other things in their place, or cannot be written
void clear_run_folder(const std::string& folder);

}  // namespace perp
