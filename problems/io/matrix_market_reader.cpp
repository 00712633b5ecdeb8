#include <perp/problems/io/matrix_market.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <perp/problems/json/json.hpp>
#include <perp/problems/json/text.hpp>

namespace perp {

namespace {

using MarketWords = std::vector<std::string_view>;

constexpr int kMostMarketRows = std::numeric_limits<int>::max() - 1;

std::string lower_case(std::string_view word) {
  std::string result(word);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

class MarketReader {
 public:
  MarketReader(std::string_view text, const std::string& file, Infinities infinities)
      : lines_(text, file), infinities_(infinities) {}

  Matrix read() {
    read_banner();
    read_sizes();
    return coordinates_ ? read_coordinates() : read_array();
  }

 private:
  enum class Symmetry { kGeneral, kSymmetric, kSkew };

  void read_banner() {
    const bool any = lines_.next();
    const MarketWords words = any ? lines_.words() : MarketWords();
    if (words.empty() || lower_case(words[0]) != "%%matrixmarket")
      lines_.fail("expected the banner %%MatrixMarket matrix LAYOUT VALUES SYMMETRY");
    if (words.size() != 5)
      lines_.fail(fmt::format("the banner has {} words, expected 5", words.size()));
    read_word("object", words[1], {"matrix"});
    coordinates_ = read_word("layout", words[2], {"coordinate", "array"}) == 0;
    if (lower_case(words[3]) == "pattern")
      lines_.fail("a pattern has no values, which a problem needs");
    integers_ = read_word("values", words[3], {"real", "double", "integer"}) == 2;
    symmetry_ = static_cast<Symmetry>(
        read_word("symmetry", words[4], {"general", "symmetric", "skew-symmetric"}));
  }

  // @return which of the words that are read it is
  std::size_t read_word(std::string_view what, std::string_view word,
                        const std::vector<std::string_view>& known) const {
    const auto found = std::ranges::find(known, lower_case(word));
    if (found == known.end()) {
      std::string list;
      for (const std::string_view k : known)
        list += fmt::format("{}{}", list.empty() ? "" : ", ", k);
      lines_.fail(fmt::format("{} \"{}\" is not read; what is read: {}", what, shown(word), list));
    }
    return static_cast<std::size_t>(found - known.begin());
  }

  // The words of the next line that is neither empty nor a remark; none at the end.
  MarketWords next_words() {
    while (lines_.next()) {
      MarketWords words = lines_.words();
      if (!words.empty() && !words[0].starts_with('%')) return words;
    }
    return {};
  }

  void read_sizes() {
    const MarketWords words = next_words();
    if (words.empty()) lines_.fail("ends without a line of sizes");
    const std::size_t expected = coordinates_ ? 3 : 2;
    if (words.size() != expected) {
      lines_.fail(fmt::format("the line of sizes has {} words, expected {}", words.size(),
                              coordinates_ ? "3: rows, columns, entries" : "2: rows, columns"));
    }
    rows_ = lines_.integer(words[0], "rows", 0, kMostMarketRows);
    cols_ = lines_.integer(words[1], "columns", 0, kMostMarketRows);
    if (symmetry_ != Symmetry::kGeneral && rows_ != cols_)
      lines_.fail(fmt::format("{} x {} is not square, and cannot be symmetric", rows_, cols_));
    lines_.expect_room(rows_, cols_);
    sizes_line_ = lines_.number();
    const std::size_t n = static_cast<std::size_t>(rows_), m = static_cast<std::size_t>(cols_);
    if (coordinates_) {
      expected_ = static_cast<std::size_t>(
          lines_.integer(words[2], "entries", 0, std::numeric_limits<int>::max()));
    } else if (symmetry_ == Symmetry::kGeneral) {
      expected_ = n * m;
    } else {
      expected_ = symmetry_ == Symmetry::kSymmetric ? n * (n + 1) / 2 : n * (n - (n > 0)) / 2;
    }
  }

  double value(std::string_view word) const {
    const double x = lines_.real(word, infinities_);
    if (integers_ && x != std::floor(x))
      lines_.fail(fmt::format("{} is no integer, and the banner says integer", shown(word)));
    return x;
  }

  void expect_all(std::size_t count) const {
    if (count == expected_) return;
    lines_.fail(fmt::format("ends after {} of the {} entries that line {} states", count, expected_,
                            sizes_line_));
  }
  void expect_one_more(std::size_t count) const {
    if (count < expected_) return;
    lines_.fail(
        fmt::format("more than the {} entries that line {} states", expected_, sizes_line_));
  }
  // What is stated, as far as the file can hold it. @param bytes that an entry takes at least
  std::size_t reserve(std::size_t bytes) const {
    return std::min(expected_, lines_.left() / bytes + 1);
  }

  Matrix read_coordinates() {
    constexpr std::size_t kShortest = 6;  // "1 1 0" and a line break
    const bool mirrored = symmetry_ != Symmetry::kGeneral;
    std::vector<Triplet> entries;
    entries.reserve(reserve(kShortest) * (mirrored ? 2 : 1));
    std::size_t count = 0;
    bool below = false, above = false;
    for (MarketWords words = next_words(); !words.empty(); words = next_words(), ++count) {
      expect_one_more(count);
      if (words.size() != 3)
        lines_.fail(fmt::format("has {} words, expected 3: row, column, value", words.size()));
      const int i = lines_.integer(words[0], "row (from 1)", 1, rows_) - 1;
      const int j = lines_.integer(words[1], "column (from 1)", 1, cols_) - 1;
      const double x = value(words[2]);
      entries.emplace_back(i, j, x);
      if (!mirrored) continue;
      below |= i > j;
      above |= i < j;
      if (below && above)
        lines_.fail("a symmetric file lists one triangle, and this one lists entries of both");
      if (i != j) entries.emplace_back(j, i, symmetry_ == Symmetry::kSkew ? -x : x);
      if (i == j && symmetry_ == Symmetry::kSkew && x != 0)
        lines_.fail("the diagonal of a skew-symmetric matrix is zero");
    }
    expect_all(count);
    return Matrix::from_triplets(rows_, cols_, entries);
  }

  Matrix read_array() {
    std::vector<double> values;
    values.reserve(reserve(2));
    for (MarketWords words = next_words(); !words.empty(); words = next_words()) {
      for (const std::string_view word : words) {
        expect_one_more(values.size());
        values.push_back(value(word));
      }
    }
    expect_all(values.size());
    DenseMatrix m = DenseMatrix::Zero(rows_, cols_);
    auto next = values.begin();
    for (int j = 0; j < cols_; ++j) {  // by columns; of the symmetric ones what is below
      const int first = symmetry_ == Symmetry::kGeneral     ? 0
                        : symmetry_ == Symmetry::kSymmetric ? j
                                                            : j + 1;
      for (int i = first; i < rows_; ++i) {
        m(i, j) = *next++;
        if (symmetry_ == Symmetry::kSymmetric) m(j, i) = m(i, j);
        if (symmetry_ == Symmetry::kSkew) m(j, i) = -m(i, j);
      }
    }
    return Matrix(std::move(m));
  }

  TextLines lines_;
  Infinities infinities_;
  bool coordinates_ = false, integers_ = false;
  Symmetry symmetry_ = Symmetry::kGeneral;
  int rows_ = 0, cols_ = 0, sizes_line_ = 0;
  std::size_t expected_ = 0;
};

}  // namespace

Matrix matrix_from_market(std::string_view text, const std::string& file, Infinities infinities) {
  return MarketReader(text, file, infinities).read();
}

}  // namespace perp
