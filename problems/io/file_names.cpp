#include <perp/problems/io/file_names.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <cstdint>

namespace perp {

namespace {

constexpr std::size_t kLongestFileName =
    150;  // bytes; file systems allow 255, and endings and numbers are added

bool is_harmless(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || std::isalnum(byte) ||
         std::string_view(" +,-.=@_~").find(c) != std::string_view::npos;
}

std::uint64_t hash_of(std::string_view text) {  // FNV-1a
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

}  // namespace

std::string file_name_of(std::string_view name) {
  std::size_t length = std::min(name.size(), kLongestFileName);
  if (length < name.size()) {  // does not cut a character of UTF-8
    while (length > 0 && (static_cast<unsigned char>(name[length]) & 0xC0) == 0x80) --length;
  }
  std::string result(name.substr(0, length));
  for (char& c : result) {
    if (!is_harmless(c)) c = '_';
  }
  if (result.starts_with('.')) result[0] = '_';
  if (result == name && !result.empty()) return result;
  return fmt::format("{}-{:08x}", result.empty() ? "unnamed" : result,
                     static_cast<std::uint32_t>(hash_of(name) ^ (hash_of(name) >> 32)));
}

}  // namespace perp
