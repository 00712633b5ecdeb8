#include <perp/problems/io/files.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <new>
#include <perp/problems/json/json.hpp>

namespace perp {

namespace fs = std::filesystem;

namespace {

struct GzCloser {
  void operator()(gzFile file) const { gzclose(file); }
};
using GzHandle = std::unique_ptr<gzFile_s, GzCloser>;

// A file descriptor that is closed by the destructor.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ > STDERR_FILENO) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

// @param expected how many bytes there may be; 0 if that is unknown
std::string read_bytes(int fd, const std::string& name, std::size_t expected) {
  std::string bytes(expected, '\0');
  std::size_t length = 0;
  while (true) {
    constexpr std::size_t kLeast = 1 << 16;
    if (bytes.size() == length) bytes.resize(std::max(2 * length, kLeast));
    const ssize_t got = read(fd, bytes.data() + length, bytes.size() - length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      throw InputError(fmt::format("{}: cannot be read ({})", name, std::strerror(errno)));
    if (got == 0) break;
    length += static_cast<std::size_t>(got);
  }
  bytes.resize(length);
  return bytes;
}

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

// Unpacks gzip data, which may consist of several parts, as gunzip does.
class Gunzip {
 public:
  Gunzip(std::string_view packed, const std::string& name)
      : packed_(packed), name_(name), most_(most_unpacked(packed.size())) {
    if (inflateInit2(&stream_, kGzipWindow) != Z_OK) throw std::bad_alloc();
  }
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;
  ~Gunzip() { inflateEnd(&stream_); }

  std::string text() {
    do {
      inflateReset(&stream_);
      unpack_part();
    } while (is_gzip(packed_.substr(at_)));
    // Tapes and some programs pad the end with zeros.
    if (packed_.find_first_not_of('\0', at_) != std::string_view::npos) {
      throw InputError(fmt::format("{}: other bytes follow the gzip data", name_));
    }
    text_.resize(length_);
    return std::move(text_);
  }

 private:
  static constexpr int kGzipWindow = 15 + 16;

  void unpack_part() {
    for (int code = Z_OK; code != Z_STREAM_END;) {
      make_room();
      const std::size_t given = std::min<std::size_t>(packed_.size() - at_, 1u << 30);
      const std::size_t room = std::min<std::size_t>(text_.size() - length_, 1u << 30);
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed_.data() + at_));
      stream_.avail_in = static_cast<uInt>(given);
      stream_.next_out = reinterpret_cast<Bytef*>(text_.data() + length_);
      stream_.avail_out = static_cast<uInt>(room);
      code = inflate(&stream_, Z_NO_FLUSH);
      at_ += given - stream_.avail_in;
      length_ += room - stream_.avail_out;
      if (code != Z_OK && code != Z_STREAM_END) {
        throw InputError(fmt::format("{}: the gzip data is truncated or damaged", name_));
      }
    }
  }

  void make_room() {
    if (length_ > most_) {
      throw InputError(
          fmt::format("{}: its {} bytes of gzip data unpack to more than {} MB; if the file is "
                      "right, unpack it with gunzip first",
                      name_, packed_.size(), most_ >> 20));
    }
    if (length_ < text_.size()) return;
    text_.resize(std::max(2 * text_.size(), std::min<std::size_t>(4 * packed_.size(), 1 << 24)));
  }

  std::string_view packed_;
  const std::string& name_;
  std::size_t most_, at_ = 0, length_ = 0;
  std::string text_;
  z_stream stream_ = {};
};

// Checks that a problem can be read from it: a file, a pipe or the terminal, but no other device.
// @return the bytes to expect, 0 if that is unknown (the stated size of a file with holes is not
// trusted)
std::size_t check_readable(int fd, const std::string& name) {
  struct stat status = {};
  if (fstat(fd, &status) != 0) return 0;
  if (S_ISDIR(status.st_mode)) throw InputError(fmt::format("{}: is a directory", name));
  const bool device = S_ISBLK(status.st_mode) || (S_ISCHR(status.st_mode) && !isatty(fd));
  if (device) throw InputError(fmt::format("{}: is a device, not a file", name));
  const bool whole = S_ISREG(status.st_mode) && status.st_blocks * 512 >= status.st_size;
  return whole ? static_cast<std::size_t>(status.st_size) + 1 : 0;
}

std::string read_text(int fd, const std::string& name, std::size_t expected) {
  std::string bytes = read_bytes(fd, name, expected);
  return is_gzip(bytes) ? Gunzip(bytes, name).text() : bytes;
}

void write_gzip(const std::string& path, std::string_view text, const std::string& shown) {
  GzHandle file(gzopen(path.c_str(), "wb6"));
  bool good = file != nullptr;
  while (good && !text.empty()) {
    const auto part = text.substr(0, 1u << 30);
    good = gzwrite(file.get(), part.data(), static_cast<unsigned>(part.size())) > 0;
    text.remove_prefix(part.size());
  }
  if (good) good = gzclose(file.release()) == Z_OK;
  if (!good)
    throw InputError(fmt::format("{}: cannot be written ({})", shown, std::strerror(errno)));
}

// @param shown the file in messages
void write_plain(const std::string& path, std::string_view text, const std::string& shown) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  bool good = file != nullptr;
  if (good) good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file) good = std::fclose(file) == 0 && good;
  if (!good)
    throw InputError(fmt::format("{}: cannot be written ({})", shown, std::strerror(errno)));
}

}  // namespace

std::size_t most_unpacked(std::size_t packed) {
  constexpr std::size_t kAlways = std::size_t{32} << 20, kRatio = 100;
  return kAlways + std::min(packed, std::size_t{1} << 50) * kRatio;
}

std::string read_text_file(const std::string& path) {
  if (path == "-") return read_text(STDIN_FILENO, "standard input", 0);
  if (path.find('\0') != std::string::npos)
    throw InputError(fmt::format("{}: not a name of a file", path));
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0 && errno == ENOENT) throw InputError(fmt::format("{}: no such file", path));
  if (file.get() < 0)
    throw InputError(fmt::format("{}: cannot be opened ({})", path, std::strerror(errno)));
  return read_text(file.get(), path, check_readable(file.get(), path));
}

namespace {

/// While it exists, signals that end the process wait in this thread: else a temporary file stays.
class SignalsWait {
 public:
  SignalsWait() {
    sigset_t waiting;
    sigemptyset(&waiting);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&waiting, signal);
    pthread_sigmask(SIG_BLOCK, &waiting, &before_);
  }
  ~SignalsWait() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;

 private:
  sigset_t before_{};
};

// The file that is to be written: a link stays a link, also if there is no such file yet.
std::string target_of(const std::string& name) {
  constexpr int kMostLinks = 40;  // as the kernel has it
  fs::path path = name;
  std::error_code none;
  for (int k = 0; fs::is_symlink(fs::symlink_status(path, none)); ++k) {
    if (k == kMostLinks)
      throw InputError(fmt::format("{}: cannot be written ({})", name, std::strerror(ELOOP)));
    const fs::path next = fs::read_symlink(path, none);
    if (none) break;
    path = next.is_absolute() ? next : path.parent_path() / next;
  }
  return path.string();
}

}  // namespace

void write_text_file(const std::string& name, std::string_view text) {
  std::error_code unknown;
  // Follows links to what has no path of its own, such as the pipe behind /dev/stdout.
  const fs::file_status old = fs::status(name, unknown);
  if (fs::exists(old) && !fs::is_regular_file(old) && !fs::is_directory(old))
    return write_plain(name, text, name);  // a pipe or device is not replaced
  const std::string path = target_of(name);
  const SignalsWait wait;
  static std::atomic<unsigned> written = 0;  // threads may write the same path
  const std::string temporary = fmt::format("{}.{}-{}.tmp", path, getpid(), written++);
  try {
    if (name.ends_with(".gz")) {
      write_gzip(temporary, text, path);
    } else {
      write_plain(temporary, text, path);
    }
    std::error_code error;
    // A file that others may not read stays so. Without such a file there is nothing to keep.
    if (fs::is_regular_file(old)) fs::permissions(temporary, old.permissions(), error);
    fs::rename(temporary, path, error);
    if (error) throw InputError(fmt::format("{}: cannot be written ({})", path, error.message()));
  } catch (...) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw;
  }
}

}  // namespace perp
