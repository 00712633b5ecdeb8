#include <perp/problems/io/files.hpp>

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <perp/problems/io/json.hpp>

namespace perp {

namespace fs = std::filesystem;

namespace {

struct GzCloser {
  void operator()(gzFile file) const { gzclose(file); }
};
using GzHandle = std::unique_ptr<gzFile_s, GzCloser>;

std::string read_stream(gzFile file, const std::string& name) {
  std::string text;
  constexpr std::size_t kChunk = 1 << 20;
  std::size_t length = 0;
  while (true) {
    text.resize(length + kChunk);
    const int got = gzread(file, text.data() + length, kChunk);
    if (got < 0)
      throw InputError(
          fmt::format("{}: cannot be read ({})", name, std::strerror(errno ? errno : EIO)));
    length += static_cast<std::size_t>(got);
    if (got == 0) break;
  }
  text.resize(length);
  int code = Z_OK;
  gzerror(file, &code);
  if (code != Z_OK && code != Z_STREAM_END) {
    throw InputError(fmt::format("{}: the gzip data is truncated or damaged", name));
  }
  return text;
}

void write_gzip(const std::string& path, std::string_view text) {
  GzHandle file(gzopen(path.c_str(), "wb6"));
  bool good = file != nullptr;
  while (good && !text.empty()) {
    const auto part = text.substr(0, 1u << 30);
    good = gzwrite(file.get(), part.data(), static_cast<unsigned>(part.size())) > 0;
    text.remove_prefix(part.size());
  }
  if (good) good = gzclose(file.release()) == Z_OK;
  if (!good)
    throw InputError(fmt::format("{}: cannot be written ({})", path, std::strerror(errno)));
}

void write_plain(const std::string& path, std::string_view text) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  bool good = file != nullptr;
  if (good) good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file) good = std::fclose(file) == 0 && good;
  if (!good)
    throw InputError(fmt::format("{}: cannot be written ({})", path, std::strerror(errno)));
}

}  // namespace

std::string read_text_file(const std::string& path) {
  errno = 0;
  if (path == "-")
    return read_stream(GzHandle(gzdopen(dup(STDIN_FILENO), "rb")).get(), "standard input");
  std::error_code error;
  const auto status = fs::status(path, error);
  if (!fs::exists(status)) throw InputError(fmt::format("{}: no such file", path));
  if (fs::is_directory(status)) throw InputError(fmt::format("{}: is a directory", path));
  GzHandle file(gzopen(path.c_str(), "rb"));
  if (!file) throw InputError(fmt::format("{}: cannot be opened ({})", path, std::strerror(errno)));
  gzbuffer(file.get(), 1 << 18);
  return read_stream(file.get(), path);
}

void write_text_file(const std::string& name, std::string_view text) {
  std::error_code unknown;
  const fs::path resolved = fs::canonical(name, unknown);  // a link stays a link
  const std::string path = unknown ? name : resolved.string();
  if (!unknown && !fs::is_regular_file(resolved) && !fs::is_directory(resolved)) {
    return write_plain(path, text);  // a pipe or device is written to, not replaced
  }
  const std::string temporary = fmt::format("{}.{}.tmp", path, getpid());
  try {
    if (name.ends_with(".gz")) {
      write_gzip(temporary, text);
    } else {
      write_plain(temporary, text);
    }
    std::error_code error;
    fs::rename(temporary, path, error);
    if (error) throw InputError(fmt::format("{}: cannot be written ({})", path, error.message()));
  } catch (...) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw;
  }
}

}  // namespace perp
