// A file to which complete pieces are appended.
#pragma once

#include <string>
#include <string_view>

namespace perp {

/// Every piece is written at once, completely or not at all. So the file is valid whenever the
/// process ends, also on a full disk.
class AppendFile {
 public:
  AppendFile() = default;
  /// Opens or makes the file and locks it. The content stays until keep().
  /// @throws InputError if the file cannot be written, or another process has it open
  explicit AppendFile(std::string path);
  AppendFile(AppendFile&& other) noexcept;
  AppendFile& operator=(AppendFile&& other) noexcept;
  ~AppendFile();

  bool is_open() const { return fd_ >= 0; }
  /// Cuts the file off after so many bytes. @throws InputError if it cannot be written
  void keep(long size);
  /// In a child process: closes its copy of the file, which stays locked.
  void leave();
  /// Appends a piece. @throws InputError if it cannot be written
  void add(std::string_view text);

 private:
  std::string path_;
  long size_ = 0;
  int fd_ = -1;
};

}  // namespace perp
