#include <perp/bench/cli/outputs.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <perp/problems/json/json.hpp>

namespace perp::cli {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(const std::string& path, int code) {
  throw InputError(fmt::format("{}: cannot be written ({})", path, std::strerror(code)));
}

}  // namespace

void expect_writable(const std::string& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (fs::is_directory(status)) refuse(file, EISDIR);
  if (fs::exists(status)) {
    if (access(file.c_str(), W_OK) != 0) refuse(file, errno);
    if (!fs::is_regular_file(status)) return;  // a pipe or device is written to, not replaced
  }
  const fs::path resolved = fs::canonical(file, error);  // a link stays a link
  const std::string path = error ? file : resolved.string();
  if (path.empty() || path.back() == '/') refuse(file, ENOENT);
  std::string probe = fmt::format("{}.XXXXXX", path);
  const int fd = mkstemp(probe.data());
  if (fd < 0) refuse(file, errno);
  close(fd);
  unlink(probe.c_str());
}

void expect_folder(const std::string& folder) {
  fs::path path(folder);
  std::error_code error;
  while (!path.empty() && !fs::exists(path, error)) {
    if (fs::is_symlink(path, error)) refuse(folder, ENOENT);
    path = path.has_filename() ? path.parent_path() : path.parent_path().parent_path();
  }
  if (path.empty()) path = ".";
  if (!fs::is_directory(path, error))
    throw InputError(fmt::format("{}: cannot be created ({})", folder, std::strerror(ENOTDIR)));
  if (access(path.c_str(), W_OK | X_OK) != 0) refuse(folder, errno);
}

void make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw InputError(fmt::format("{}: cannot be created ({})", folder, error.message()));
}

void expect_apart(const std::string& option, const std::vector<std::string>& outputs,
                  const std::vector<std::string>& inputs) {
  std::error_code error;
  for (const std::string& output : outputs) {
    if (!fs::is_regular_file(output, error)) continue;
    for (const std::string& input : inputs) {
      if (!fs::equivalent(output, input, error) || error) continue;
      throw InputError(fmt::format("{}: {} would write over what is read from it", output, option));
    }
  }
}

bool finish_output() {
  errno = 0;
  std::cout.flush();
  int code = std::cout.good() ? 0 : errno;
  const bool flushed = std::fflush(stdout) == 0;
  if (!flushed) code = errno;
  // Network file systems tell of a full disk when a file is closed.
  const int copy = dup(STDOUT_FILENO);
  if (copy >= 0 && close(copy) != 0 && code == 0) code = errno;
  const bool good = std::cout.good() && flushed && std::ferror(stdout) == 0 && code == 0;
  if (!good) {
    // Why an earlier part did not go out is forgotten; one more byte tells.
    if (code == 0 && write(STDOUT_FILENO, "\n", 1) < 0) code = errno;
    std::cerr << fmt::format("perp: standard output: cannot be written{}\n",
                             code != 0 ? fmt::format(" ({})", std::strerror(code)) : "");
  }
  return good;
}

void hold_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    // Reading from standard input and writing to the others stay errors.
    const int opened = open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (opened >= 0 && opened != fd) {
      dup2(opened, fd);
      close(opened);
    }
  }
}

}  // namespace perp::cli
