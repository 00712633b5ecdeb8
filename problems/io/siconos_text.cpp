#include <perp/problems/io/siconos_text.hpp>

#include <fmt/format.h>
#include <charconv>
#include <cmath>
#include <limits>
#include <perp/problems/io/global_friction.hpp>
#include <stdexcept>

namespace perp {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kMaxSize = 1'000'000;

// The numbers of the file up to the first word that is none.
std::vector<double> leading_numbers(std::string_view text) {
  std::vector<double> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) ++at;
    if (at < end && *at == '+') ++at;
    double value = 0.0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc() || (next < end && !std::isspace(static_cast<unsigned char>(*next))))
      return numbers;
    numbers.push_back(value);
    at = next;
  }
}

class Reader {
 public:
  Reader(std::vector<double> numbers, const std::string& file)
      : numbers_(std::move(numbers)), file_(file) {}

  [[noreturn]] void fail(std::string_view fault) const {
    throw InputError(fmt::format("{}: siconos text: {}", file_, fault));
  }
  std::size_t left() const { return numbers_.size() - at_; }
  double peek(std::size_t offset) const {
    return offset < numbers_.size() ? numbers_[offset] : std::numeric_limits<double>::quiet_NaN();
  }
  double number(std::string_view what) {
    if (left() == 0) fail(fmt::format("ends before {}", what));
    const double value = numbers_[at_++];
    if (!std::isfinite(value)) fail(fmt::format("{} is not finite", what));
    return value;
  }
  int integer(std::string_view what, int low = 0, int high = kMaxSize) {
    const double value = number(what);
    if (value != std::floor(value) || value < low || value > high) {
      fail(fmt::format("{} is {}, expected an integer in {}..{}", what, value, low, high));
    }
    return static_cast<int>(value);
  }
  std::vector<int> integers(std::string_view what, int count) {
    std::vector<int> result(count);
    for (int& i : result) i = integer(what);
    return result;
  }
  Vector vector(std::string_view what, int count) {
    need(what, count);
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
          "matrices stored by sparse columns, which Siconos writes with six digits, are not read; "
          "FCLIB files keep all");
    }
    return storage == 0 ? dense(rows, cols) : blocks(rows, cols);
  }

 private:
  void need(std::string_view what, std::size_t count) const {
    if (left() < count) fail(fmt::format("ends within {}", what));
  }

  Matrix dense(int rows, int cols) {
    if (integer("the rows of the matrix") != rows || integer("the columns of the matrix") != cols) {
      fail("the two statements of the matrix's size disagree");
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

  // Blocks in compressed rows, each by columns.
  Matrix blocks(int rows, int cols) {
    const int count = integer("the number of blocks");
    const int block_rows = integer("the number of block rows"),
              block_cols = integer("the number of block columns");
    const std::vector<int> row_ends = integers("the ends of the block rows", block_rows);
    const std::vector<int> col_ends = integers("the ends of the block columns", block_cols);
    const int starts_count = integer("the number of row starts");
    const int index_count = integer("the number of block columns' indices");
    const std::vector<int> starts = integers("the row starts", starts_count);
    const std::vector<int> indices = integers("the block columns' indices", index_count);
    if (starts_count != block_rows + 1 || index_count != count || starts.back() != count ||
        (block_rows > 0 && (row_ends.back() != rows || col_ends.back() != cols))) {
      fail("the block structure of the matrix is inconsistent");
    }
    std::vector<Triplet> entries;
    for (int r = 0; r < block_rows; ++r) {
      const int first_row = r > 0 ? row_ends[r - 1] : 0;
      for (int b = starts[r]; b < starts[r + 1]; ++b) {
        if (b >= count || indices[b] >= block_cols) fail("a block index is out of range");
        if (integer("a block's number") != b)
          fail(fmt::format("block {} is not where it should be", b));
        const int first_col = indices[b] > 0 ? col_ends[indices[b] - 1] : 0;
        for (int j = first_col; j < col_ends[indices[b]]; ++j) {
          for (int i = first_row; i < row_ends[r]; ++i)
            entries.emplace_back(i, j, number("a block"));
        }
      }
    }
    return Matrix::from_triplets(rows, cols, entries);
  }

  std::vector<double> numbers_;
  const std::string& file_;
  std::size_t at_ = 0;
};

ProblemData read_lcp_or_relay(Reader& r) {
  const int n = r.integer("n");
  Matrix m = r.matrix(n);
  Vector q = r.vector("q", n);
  if (n == 0 || r.left() < 2u * n) return Lcp{std::move(m), std::move(q)};
  Vector lower = r.vector("the lower bounds", n);
  Vector upper = r.vector("the upper bounds", n);
  return Mlcp{std::move(m), std::move(q), std::move(lower), std::move(upper)};
}

ProblemData read_friction(Reader& r) {
  FrictionContact p;
  p.dimension = r.integer("the dimension", 2, 3);
  const int contacts = r.integer("the number of contacts");
  p.W = r.matrix(p.dimension * contacts);
  p.q = r.vector("q", p.dimension * contacts);
  p.mu = r.vector("mu", contacts);
  return p;
}

// M v = H r + f, u = H'v + w.
ProblemData read_global_friction(Reader& r) {
  const int dimension = r.integer("the dimension", 2, 3);
  const int contacts = r.integer("the number of contacts");
  const Matrix m = r.any_matrix(), h = r.matrix(m.rows(), dimension * contacts);
  const Vector f = r.vector("f", m.rows()), w = r.vector("w", dimension * contacts);
  bool completed = false;
  try {
    return friction_from_global(dimension, m.to_sparse(), h.to_sparse(), f, w,
                                r.vector("mu", contacts), completed);
  } catch (const std::invalid_argument& error) {
    r.fail(error.what());
  }
}

ProblemData read_mlcp(Reader& r) {
  r.integer("the first flag", 0, 1);
  r.integer("the second flag", 0, 1);
  const int equations = r.integer("n"), inequalities = r.integer("m"),
            size = equations + inequalities;
  std::vector<int> ends;
  do {
    ends.push_back(r.integer("the ends of the blocks"));
  } while (ends.back() < size);
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
  return p;
}

}  // namespace

Problem problem_from_siconos_text(std::string_view text, const std::string& file) {
  Reader reader(leading_numbers(text), file);
  if (reader.left() < 4) reader.fail("fewer than four numbers at the beginning");
  const double a = reader.peek(0), b = reader.peek(1), c = reader.peek(2), d = reader.peek(3);
  Problem problem;
  if ((a == 2 || a == 3) && d == a * b && reader.peek(4) == d) {
    problem.data = read_friction(reader);
  } else if (c == a && d == a) {
    problem.data = read_lcp_or_relay(reader);
  } else if ((a == 2 || a == 3) && d == reader.peek(4)) {
    problem.data = read_global_friction(reader);
  } else {
    problem.data = read_mlcp(reader);
  }
  try {
    validate(problem);
  } catch (const std::invalid_argument& error) {
    reader.fail(error.what());
  }
  return problem;
}

}  // namespace perp
