// Whole files, gzip included, with errors that name them; written all or not at all.
#pragma once

#include <string>
#include <string_view>

namespace perp {

/// Contents of a file ("-": standard input), unpacked where it is gzip.
/// @throws InputError: no such file, a directory, unreadable, truncated or damaged gzip.
std::string read_text_file(const std::string& path);

/// Writes to a temporary file beside `path`, then renames; packs where the name ends in ".gz".
/// @throws InputError where that fails; an existing file is then left as it was.
void write_text_file(const std::string& path, std::string_view text);

}  // namespace perp
