// Where the files that come with perp are.
#pragma once

#include <filesystem>

namespace perp {

/// The folder that holds problems/collections and problems/suites: PERP_DATA from the environment,
/// else what set_data_root() said, else the data installed beside the program (../share/perp), else
/// the source tree the program was built from.
std::filesystem::path data_root();

/// For programs that use perp as a library and know where its data is installed.
void set_data_root(const std::filesystem::path& folder);

}  // namespace perp
