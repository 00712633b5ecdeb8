#include <perp/problems/io/siconos_text.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <perp/problems/io/global_friction.hpp>
#include <perp/problems/json/text.hpp>
#include <perp/problems/matrix/infinity.hpp>
#include <stdexcept>

namespace perp {

namespace {

constexpr int kMaxSiconosSize = 1'000'000;

// The numbers at the beginning of a file, and the first word after them.
struct Words {
  std::vector<double> numbers;
  std::string_view next;
};

Words split(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  Words words;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    while (at < end && kBlank.find(*at) != std::string_view::npos) ++at;
    const char* const first = at < end && *at == '+' ? at + 1 : at;
    double value = 0.0;
    const auto [next, error] = std::from_chars(first, end, value);
    const bool ends = next == end || kBlank.find(*next) != std::string_view::npos;
    if (error != std::errc() || !ends) {
      const std::string_view rest = text.substr(static_cast<std::size_t>(at - text.data()));
      words.next = rest.substr(0, rest.find_first_of(kBlank));
      return words;
    }
    words.numbers.push_back(value);
    at = next;
  }
}

class SiconosReader {
 public:
  SiconosReader(Words words, const std::string& file)
      : numbers_(std::move(words.numbers)), next_word_(words.next), file_(file) {}

  [[noreturn]] void fail(std::string_view fault) const {
    throw InputError(fmt::format("{}: siconos text: {}", file_, fault));
  }
  std::size_t left() const { return numbers_.size() - at_; }
  double peek(std::size_t offset) const {
    return offset < numbers_.size() ? numbers_[offset] : std::numeric_limits<double>::quiet_NaN();
  }
  /// Fails if fewer numbers are left. Called before memory is allocated for them.
  void need(std::string_view what, std::size_t count) const {
    if (left() >= count) return;
    fail(next_word_.empty() ? fmt::format("ends within {}", what)
                            : fmt::format("{}: \"{}\" is no number", what, shown(next_word_, 40)));
  }
  /// Checks what follows the data: an allowed count of numbers, and no misspelt number.
  void finish(std::initializer_list<std::size_t> allowed) const {
    if (std::ranges::find(allowed, left()) == allowed.end()) {
      fail(fmt::format("{} numbers are left over after the data of {}", left(), kind_));
    }
    const std::size_t first = next_word_.find_first_not_of("+-.");
    if (first != std::string_view::npos && next_word_[first] >= '0' && next_word_[first] <= '9') {
      fail(fmt::format("after the data: \"{}\" is no number", shown(next_word_, 40)));
    }
  }
  void set_kind(std::string_view kind) { kind_ = kind; }

  double number(std::string_view what) {
    need(what, 1);
    const double value = numbers_[at_++];
    if (!std::isfinite(value)) fail(fmt::format("{} is not finite", what));
    return value;
  }
  int integer(std::string_view what, int low = 0, int high = kMaxSiconosSize) {
    const double value = number(what);
    if (value != std::floor(value) || value < low || value > high) {
      fail(fmt::format("{} is {}, expected an integer in {}..{}", what, value, low, high));
    }
    return static_cast<int>(value);
  }
  std::vector<int> integers(std::string_view what, int count) {
    need(what, static_cast<std::size_t>(count));
    std::vector<int> result(count);
    for (int& i : result) i = integer(what);
    return result;
  }
  Vector vector(std::string_view what, int count) {
    need(what, static_cast<std::size_t>(count));
    Vector result(count);
    for (double& x : result) x = number(what);
    return result;
  }

  Matrix matrix(int rows, int cols) {
    Matrix m = any_matrix();
    if (m.rows() != rows || m.cols() != cols) {
      fail(fmt::format("the matrix is {} x {}, expected {} x {}", m.rows(), m.cols(), rows, cols));
    }
    return m;
  }
  Matrix matrix(int size) { return matrix(size, size); }
  Matrix any_matrix() {
    const int storage = integer("the storage type of the matrix", 0, 2);
    const int rows = integer("the rows of the matrix"), cols = integer("the columns of the matrix");
    if (storage == 2) {
      fail(
          "matrices in sparse columns are not read, because Siconos writes them with six digits "
          "only; FCLIB files keep all digits");
    }
    return storage == 0 ? dense(rows, cols) : blocks(rows, cols);
  }

 private:
  Matrix dense(int rows, int cols) {
    if (integer("the rows of the matrix") != rows || integer("the columns of the matrix") != cols) {
      fail("the matrix has two sizes that disagree");
    }
    need("the matrix", static_cast<std::size_t>(rows) * cols);
    std::vector<Triplet> entries;
    for (int j = 0; j < cols; ++j) {
      for (int i = 0; i < rows; ++i) {
        if (const double value = number("the matrix"); value != 0.0)
          entries.emplace_back(i, j, value);
      }
    }
    return Matrix::from_triplets(rows, cols, entries);
  }

  // The ends of block rows or columns, one after another up to the size of the matrix.
  std::vector<int> ends(std::string_view what, int count, int size) {
    std::vector<int> result = integers(what, count);
    if (!std::ranges::is_sorted(result) || (count > 0 ? result.back() : 0) != size) {
      fail(fmt::format("{} do not rise to the size of the matrix, {}", what, size));
    }
    return result;
  }

  // Blocks in compressed rows, each by columns.
  Matrix blocks(int rows, int cols) {
    const int count = integer("the number of blocks");
    const int block_rows = integer("the number of block rows"),
              block_cols = integer("the number of block columns");
    const std::vector<int> row_ends = ends("the ends of the block rows", block_rows, rows);
    const std::vector<int> col_ends = ends("the ends of the block columns", block_cols, cols);
    const int starts_count = integer("the number of row starts");
    const int index_count = integer("the number of block columns' indices");
    if (starts_count != block_rows + 1 || index_count != count) {
      fail("the numbers of blocks, block rows, row starts and indices disagree");
    }
    const std::vector<int> starts = integers("the row starts", starts_count);
    const std::vector<int> indices = integers("the block columns' indices", index_count);
    if (!std::ranges::is_sorted(starts) || starts.front() != 0 || starts.back() != count) {
      fail("the row starts do not rise from 0 to the number of blocks");
    }
    std::vector<Triplet> entries;
    for (int r = 0; r < block_rows; ++r) {
      const int first_row = r > 0 ? row_ends[r - 1] : 0;
      for (int b = starts[r]; b < starts[r + 1]; ++b) {
        if (indices[b] >= block_cols) fail("a block index is out of range");
        if (integer("a block's number") != b)
          fail(fmt::format("block {} is not where it should be", b));
        const int first_col = indices[b] > 0 ? col_ends[indices[b] - 1] : 0;
        const int last_col = col_ends[indices[b]], last_row = row_ends[r];
        need("a block", static_cast<std::size_t>(last_col - first_col) * (last_row - first_row));
        for (int j = first_col; j < last_col; ++j) {
          for (int i = first_row; i < last_row; ++i) entries.emplace_back(i, j, number("a block"));
        }
      }
    }
    return Matrix::from_triplets(rows, cols, entries);
  }

  std::vector<double> numbers_;
  std::string_view next_word_, kind_;
  const std::string& file_;
  std::size_t at_ = 0;
};

// What may follow a friction problem: nothing, or a flag.
const std::initializer_list<std::size_t> kFlag = {0, 1};

std::size_t square(int n) { return static_cast<std::size_t>(n) * static_cast<std::size_t>(n); }

ProblemData read_lcp_or_relay(SiconosReader& r) {
  r.set_kind("an LCP (a relay has twice n more)");
  const int n = r.integer("n");
  r.need("q", static_cast<std::size_t>(n));  // before the matrix, whose blocks may be few
  Matrix m = r.matrix(n);
  Vector q = r.vector("q", n);
  r.finish({0, 2 * static_cast<std::size_t>(n)});
  if (r.left() == 0) return Lcp{std::move(m), std::move(q)};
  Vector lower = r.vector("the lower bounds", n);
  Vector upper = r.vector("the upper bounds", n);
  return Mlcp{std::move(m), std::move(q), std::move(lower), std::move(upper)};
}

ProblemData read_friction(SiconosReader& r) {
  r.set_kind("a friction problem");
  FrictionContact p;
  p.dimension = r.integer("the dimension", 2, 3);
  const int contacts = r.integer("the number of contacts");
  r.need("q", static_cast<std::size_t>(p.dimension) * contacts);
  p.W = r.matrix(p.dimension * contacts);
  p.q = r.vector("q", p.dimension * contacts);
  p.mu = r.vector("mu", contacts);
  r.finish(kFlag);
  return p;
}

// M v = H r + f, u = H'v + w.
ProblemData read_global_friction(SiconosReader& r) {
  r.set_kind("a global friction problem");
  const int dimension = r.integer("the dimension", 2, 3);
  const int contacts = r.integer("the number of contacts");
  r.need("w", static_cast<std::size_t>(dimension) * contacts);
  const Matrix m = r.any_matrix(), h = r.matrix(m.rows(), dimension * contacts);
  const Vector f = r.vector("f", m.rows()), w = r.vector("w", dimension * contacts);
  Vector mu = r.vector("mu", contacts);
  r.finish(kFlag);
  bool completed = false;
  try {
    return friction_from_global(dimension, m.to_sparse(), h.to_sparse(), f, w, std::move(mu),
                                completed);
  } catch (const std::invalid_argument& error) {
    r.fail(error.what());
  }
}

// Ends of the blocks of an MLCP: from 0 up to its size.
std::vector<int> read_block_ends(SiconosReader& r, int size) {
  std::vector<int> ends;
  do {
    const int end = r.integer("the ends of the blocks");
    if (end > size || end < (ends.empty() ? 0 : ends.back()) || (ends.empty() && end > 0)) {
      r.fail(fmt::format("the ends of the blocks do not rise from 0 to n + m = {}", size));
    }
    ends.push_back(end);
  } while (ends.back() < size);
  return ends;
}

ProblemData read_siconos_mlcp(SiconosReader& r) {
  r.set_kind("an MLCP");
  if (r.integer("the first flag (1 if M and q are given)", 0, 1) == 0) {
    r.fail("an MLCP given by A, B, C and D alone is not read");
  }
  const bool given_twice = r.integer("the second flag (1 if A, B, C and D are given)", 0, 1) == 1;
  const int equations = r.integer("n"), inequalities = r.integer("m"),
            size = equations + inequalities;
  r.need("q", static_cast<std::size_t>(size));
  const std::vector<int> ends = read_block_ends(r, size);
  Mlcp p;
  p.lower = Vector::Constant(size, -kInfinity);
  p.upper = Vector::Constant(size, kInfinity);
  for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
    if (r.integer("a block's type", 0, 1) == 1) {
      p.lower.segment(ends[k], ends[k + 1] - ends[k]).setZero();
    }
  }
  p.M = r.matrix(size);
  p.q = r.vector("q", size);
  // A, B, C, D and their vectors repeat the same data. A solution may follow: z, w and the like.
  const std::size_t again = given_twice ? square(size) + static_cast<std::size_t>(size) : 0;
  r.need("A, B, C and D, which the second flag announces", again);
  r.finish({again, again + static_cast<std::size_t>(size),
            again + static_cast<std::size_t>(size) + static_cast<std::size_t>(equations),
            again + static_cast<std::size_t>(size) + static_cast<std::size_t>(inequalities)});
  return p;
}

// An MLCP of one equation and one inequality begins as an LCP of one unknown does.
ProblemData read_lcp_or_small_mlcp(SiconosReader& reader, std::string_view text,
                                   const std::string& file) {
  if (reader.peek(0) != 1) return read_lcp_or_relay(reader);
  try {
    return read_lcp_or_relay(reader);
  } catch (const InputError&) {
    try {
      SiconosReader again(split(text), file);
      return read_siconos_mlcp(again);
    } catch (const InputError&) {
    }
    throw;
  }
}

}  // namespace

Problem problem_from_siconos_text(std::string_view text, const std::string& file) {
  SiconosReader reader(split(text), file);
  if (reader.left() < 4) reader.fail("fewer than four numbers at the beginning");
  const double a = reader.peek(0), b = reader.peek(1), c = reader.peek(2), d = reader.peek(3);
  Problem problem;
  const bool is_storage = c == 0 || c == 1 || c == 2;
  if ((a == 2 || a == 3) && is_storage && d == a * b && reader.peek(4) == d) {
    problem.data = read_friction(reader);
  } else if (c == a && d == a) {
    problem.data = read_lcp_or_small_mlcp(reader, text, file);
  } else if ((a == 2 || a == 3) && d == reader.peek(4)) {
    problem.data = read_global_friction(reader);
  } else {
    problem.data = read_siconos_mlcp(reader);
  }
  try {
    validate(problem);
  } catch (const std::invalid_argument& error) {
    reader.fail(error.what());
  }
  return problem;
}

}  // namespace perp
