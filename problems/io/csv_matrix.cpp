#include <perp/problems/io/csv_matrix.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <perp/problems/json/json.hpp>
#include <perp/problems/json/text.hpp>

namespace perp {

namespace {

class CsvMatrixReader {
 public:
  CsvMatrixReader(std::string_view text, const std::string& file, Infinities infinities)
      : lines_(text, file), file_(file), infinities_(infinities) {}

  DenseMatrix read() {
    while (lines_.next()) {
      const std::string_view line = trimmed(lines_.line());
      if (line.empty() || line.front() == '#' || line.front() == '%') continue;
      if (rows_ == 0) find_separator(line);
      read_row(line);
    }
    if (rows_ == 0) throw InputError(fmt::format("{}: holds no numbers", file_));
    const auto cols = static_cast<Eigen::Index>(cols_);
    using ByRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    return Eigen::Map<const ByRows>(values_.data(), rows_, cols);
  }

 private:
  static std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r\v\f";
    const std::size_t first = text.find_first_not_of(kBlank);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
  }

  void find_separator(std::string_view line) {
    first_line_ = lines_.number();
    for (const char c : {';', ','}) {
      if (line.find(c) == std::string_view::npos) continue;
      separator_ = c;
      return;
    }
  }

  void read_row(std::string_view line) {
    const std::size_t before = values_.size();
    if (separator_ == ' ') {
      for (const std::string_view word : lines_.words()) add(word);
    } else {
      for (std::size_t begin = 0; begin <= line.size();) {
        const std::size_t end = std::min(line.find(separator_, begin), line.size());
        add(trimmed(line.substr(begin, end - begin)));
        begin = end + 1;
      }
    }
    const std::size_t count = values_.size() - before;
    if (rows_++ == 0) cols_ = count;
    if (count != cols_) {
      lines_.fail(fmt::format("has {} numbers, and line {} has {}", count, first_line_, cols_));
    }
  }

  void add(std::string_view word) {
    if (word.empty())
      lines_.fail(fmt::format("there is no number before or behind a \"{}\"", separator_));
    const bool decimal_comma = separator_ == ';' && word.find(',') != std::string_view::npos;
    if (decimal_comma)
      lines_.fail(fmt::format("\"{}\" is no number; the decimal mark is a point", shown(word, 40)));
    if (rows_ == 0 && is_name(word)) {
      lines_.fail(
          fmt::format("\"{}\" is no number; begin a line of column names with #", shown(word, 40)));
    }
    values_.push_back(lines_.real(word, infinities_));
  }

  // A word of a heading: begins with a letter or quote, and is no infinity or NaN.
  static bool is_name(std::string_view word) {
    std::string lower(word);
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const char first = lower.front();
    return first == '"' || first == '\'' ||
           (first >= 'a' && first <= 'z' && lower != "inf" && lower != "infinity" &&
            lower != "nan");
  }

  TextLines lines_;
  const std::string& file_;
  Infinities infinities_;
  char separator_ = ' ';  // white space
  int first_line_ = 0;
  Eigen::Index rows_ = 0;
  std::size_t cols_ = 0;
  std::vector<double> values_;  // by rows
};

}  // namespace

DenseMatrix matrix_from_csv(std::string_view text, const std::string& file, Infinities infinities) {
  return CsvMatrixReader(text, file, infinities).read();
}

}  // namespace perp
