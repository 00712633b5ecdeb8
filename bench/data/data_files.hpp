// The place of the files that come with perp.
#pragma once

#include <filesystem>

namespace perp {

/// The folder that holds problems/collections and problems/suites: the environment variable
/// PERP_DATA if it is set, else the folder given to set_data_root(), else the installed data
/// (../share/perp relative to the program), else the source tree from which the program was built.
/// @throws InputError if PERP_DATA names no folder
std::filesystem::path data_root();

/// Sets this folder. For programs that use perp as a library and know the place of its data.
void set_data_root(const std::filesystem::path& folder);

/// The perp program: the running program, or the file given to set_program_file(). Its bytes
/// identify the build in records, and the simulations of studies run it. Empty if it cannot be
/// found.
std::filesystem::path program_file();

/// Sets this file. For other programs that use perp as a library.
void set_program_file(const std::filesystem::path& file);

}  // namespace perp
