#include <perp/problems/io/matrix_text.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <perp/problems/io/files.hpp>
#include <perp/problems/json/json.hpp>
#include <perp/problems/json/text.hpp>

namespace perp {

namespace {

constexpr std::string_view kWhiteSpace = " \t\r\v\f";
constexpr std::size_t kShownWord = 40;

}  // namespace

TextLines::TextLines(std::string_view text, const std::string& file) : text_(text), file_(file) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
}

bool TextLines::next() {
  if (at_ >= text_.size()) return false;
  const std::size_t end = std::min(text_.find('\n', at_), text_.size());
  line_ = text_.substr(at_, end - at_);
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  at_ = std::min(end + 1, text_.size());
  ++number_;
  return true;
}

std::vector<std::string_view> TextLines::words() const {
  std::vector<std::string_view> words;
  for (std::size_t begin = line_.find_first_not_of(kWhiteSpace); begin < line_.size();) {
    const std::size_t end = std::min(line_.find_first_of(kWhiteSpace, begin), line_.size());
    words.push_back(line_.substr(begin, end - begin));
    begin = line_.find_first_not_of(kWhiteSpace, end);
  }
  return words;
}

double TextLines::real(std::string_view word, Infinities infinities) const {
  std::string_view digits = word;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  double value = 0.0;
  const char* const end = digits.data() + digits.size();
  const auto [next, error] = std::from_chars(digits.data(), end, value);
  if (error == std::errc::result_out_of_range && next == end)
    fail(fmt::format("{} is out of the range of a double", shown(word, kShownWord)));
  if (error != std::errc() || next != end)
    fail(fmt::format("\"{}\" is no number", shown(word, kShownWord)));
  if (std::isnan(value)) fail("nan is no number");
  if (std::isinf(value) && infinities == Infinities::kRefused)
    fail(fmt::format("{} is not finite; only lower and upper may hold it", shown(word)));
  return value;
}

int TextLines::integer(std::string_view word, std::string_view what, int low, int high) const {
  long long value = 0;
  const char* const end = word.data() + word.size();
  const auto [next, error] = std::from_chars(word.data(), end, value);
  if (next != end || error == std::errc::invalid_argument)
    fail(fmt::format("{}: \"{}\" is no integer", what, shown(word, kShownWord)));
  if (error != std::errc() || value < low || value > high)
    fail(fmt::format("{}: {} is not in {}..{}", what, shown(word, kShownWord), low, high));
  return static_cast<int>(value);
}

void TextLines::expect_room(int rows, int cols) const {
  const std::size_t most = most_unpacked(text_.size()) / sizeof(double);
  if (static_cast<std::size_t>(std::max(rows, cols)) <= most) return;
  fail(fmt::format("states {} x {}, out of proportion to the {} bytes of the file", rows, cols,
                   text_.size()));
}

void TextLines::fail(std::string_view fault) const {
  throw InputError(fmt::format("{}: line {}: {}", file_, number_, fault));
}

}  // namespace perp
