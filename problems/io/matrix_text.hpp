// What the readers of matrices in text files have in common.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace perp {

/// Whether a matrix may hold inf and -inf: only vectors of bounds may.
enum class Infinities { kRefused, kAllowed };

/// The lines of a text, one after another, numbered from 1. The text and the name of the file must
/// outlive it.
class TextLines {
 public:
  /// Skips a byte-order mark of UTF-8.
  TextLines(std::string_view text, const std::string& file);

  /// Goes to the next line. @return false if there is none
  bool next();
  /// The line without its end (\n or \r\n).
  std::string_view line() const { return line_; }
  int number() const { return number_; }
  /// Bytes of the text behind this line.
  std::size_t left() const { return text_.size() - at_; }
  /// The words of the line, which white space separates.
  std::vector<std::string_view> words() const;

  /// A word as a number that a double can hold: NaN and what is out of range are refused.
  double real(std::string_view word, Infinities infinities) const;
  /// A word as an integer. @param what its name in the message
  int integer(std::string_view word, std::string_view what, int low, int high) const;
  /// Refuses sizes that are out of proportion to the text: 8 bytes for each row and each column
  /// may not take more than most_unpacked allows.
  void expect_room(int rows, int cols) const;

  /// @throws InputError naming the file and the line.
  [[noreturn]] void fail(std::string_view fault) const;

 private:
  std::string_view text_, line_;
  const std::string& file_;
  std::size_t at_ = 0;
  int number_ = 0;
};

}  // namespace perp
