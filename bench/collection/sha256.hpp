// SHA-256 checksums, as sha256sum prints them.
#pragma once

#include <string>
#include <string_view>

namespace perp {

/// SHA-256 of the bytes as 64 hexadecimal digits [NistSecureHash2015].
std::string sha256_text(std::string_view bytes);

}  // namespace perp
