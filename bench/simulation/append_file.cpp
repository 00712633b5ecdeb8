#include <perp/bench/simulation/append_file.hpp>

#include <fcntl.h>
#include <fmt/format.h>
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

AppendFile::AppendFile(std::string path, long keep) : path_(std::move(path)), size_(keep) {
  fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (fd_ < 0) refuse(path_, errno);
  if (ftruncate(fd_, size_) == 0 && lseek(fd_, 0, SEEK_END) >= 0) return;
  const int code = errno;
  close(fd_);
  refuse(path_, code);
}

AppendFile::AppendFile(AppendFile&& other) noexcept { *this = std::move(other); }

AppendFile& AppendFile::operator=(AppendFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(size_, other.size_);
  std::swap(fd_, other.fd_);
  return *this;
}

AppendFile::~AppendFile() {
  if (fd_ >= 0) close(fd_);
}

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
