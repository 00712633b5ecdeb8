#include <perp/bench/simulation/append_file.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <perp/problems/json/json.hpp>
#include <utility>

namespace perp {

namespace {

[[noreturn]] void refuse(const std::string& path, int code) {
  throw InputError(fmt::format("{}: cannot be written ({})", path, std::strerror(code)));
}

}  // namespace

AppendFile::AppendFile(std::string path) : path_(std::move(path)) {
  fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd_ < 0) refuse(path_, errno);
  // Where files cannot be locked (some network folders), they are written without a lock.
  if (flock(fd_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  leave();
  throw InputError(fmt::format("{}: another process writes it", path_));
}

void AppendFile::keep(long size) {
  size_ = size;
  if (ftruncate(fd_, size) != 0) refuse(path_, errno);
}

void AppendFile::leave() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

AppendFile::AppendFile(AppendFile&& other) noexcept { *this = std::move(other); }

AppendFile& AppendFile::operator=(AppendFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(size_, other.size_);
  std::swap(fd_, other.fd_);
  return *this;
}

AppendFile::~AppendFile() { leave(); }

void AppendFile::add(std::string_view text) {
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t put = write(fd_, rest.data(), rest.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) {
      const int code = put < 0 ? errno : ENOSPC;
      if (ftruncate(fd_, size_) != 0) refuse(path_, errno);
      refuse(path_, code);
    }
    rest.remove_prefix(static_cast<std::size_t>(put));
  }
  size_ += static_cast<long>(text.size());
}

}  // namespace perp
