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
  /// Opens or makes the file. @param keep number of bytes of an existing file that stay
  /// @throws InputError if the file cannot be written
  explicit AppendFile(std::string path, long keep = 0);
  AppendFile(AppendFile&& other) noexcept;
  AppendFile& operator=(AppendFile&& other) noexcept;
  ~AppendFile();

  bool is_open() const { return fd_ >= 0; }
  /// Appends a piece. @throws InputError if it cannot be written
  void add(std::string_view text);

 private:
  std::string path_;
  long size_ = 0;
  int fd_ = -1;
};

}  // namespace perp
