// Whole files, gzip included, with errors that name them; written all or not at all.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace perp {

/// Contents of a file ("-": standard input), unpacked where it is gzip.
/// @throws InputError: no such file, a directory, a device, unreadable, truncated or damaged gzip,
/// or one that unpacks to more than most_unpacked allows.
std::string read_text_file(const std::string& path);

/// Bytes that packed or shared data of `packed` bytes may stand for: 32 MB and a hundred times its
/// size. Text packs to a tenth; what a few bytes blow up to gigabytes is made for that.
std::size_t most_unpacked(std::size_t packed);

/// Writes to a temporary file beside `path`, then renames; packs where the name ends in ".gz".
/// @throws InputError where that fails; an existing file is then left as it was.
void write_text_file(const std::string& path, std::string_view text);

}  // namespace perp
