// Whole files, also gzip, with errors that name the file. A file is written completely or not at
// all.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace perp {

/// Contents of a file ("-": standard input), unpacked if it is gzip.
/// @throws InputError if there is no such file, if it is a directory or a device or cannot be read,
/// or if its gzip data is truncated, damaged, followed by other bytes or unpacks to more than
/// most_unpacked() allows
std::string read_text_file(const std::string& path);

/// The most bytes that packed or shared data of `packed` bytes may stand for: 32 MB plus a hundred
/// times its size. Text packs to about a tenth of its size. So a few bytes that unpack to gigabytes
/// are no honest data.
std::size_t most_unpacked(std::size_t packed);

/// Writes to a temporary file beside `path`, then renames it; packs with gzip if the name ends in
/// ".gz". A pipe or device is written to directly, and not packed.
/// @throws InputError if that fails; an existing file is then left as it was
void write_text_file(const std::string& path, std::string_view text);

}  // namespace perp
