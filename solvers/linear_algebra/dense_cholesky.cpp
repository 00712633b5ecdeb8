#include <perp/solvers/linear_algebra/dense_cholesky.hpp>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace perp {

namespace {

constexpr int kPanel = 48;
constexpr int kTile = 4;

using Tile = Eigen::Array<double, kTile, 1>;
using ConstColumn = Eigen::Map<const Eigen::VectorXd>;
using Column = Eigen::Map<Eigen::VectorXd>;

// Sums over k of a[k] b[k]', a 4 x 4 matrix by columns; a and b are packed rows of the panel.
inline void tile_product(const double* a, const double* b, int width, Tile* sums) {
  Tile s0 = Tile::Zero(), s1 = s0, s2 = s0, s3 = s0;
  for (int k = 0; k < width; ++k, a += kTile, b += kTile) {
    const Tile x = Eigen::Map<const Tile>(a);
    s0 += x * b[0];
    s1 += x * b[1];
    s2 += x * b[2];
    s3 += x * b[3];
  }
  sums[0] = s0;
  sums[1] = s1;
  sums[2] = s2;
  sums[3] = s3;
}

}  // namespace

void DenseCholesky::reserve(int max_size) {
  const auto n = static_cast<std::size_t>(max_size);
  if (a_.size() < n * n) a_.resize(n * n);
  if (packed_.size() < (n + kTile) * kPanel) packed_.resize((n + kTile) * kPanel);
}

double* DenseCholesky::matrix(int size) {
  reserve(size);
  size_ = size;
  return a_.data();
}

bool DenseCholesky::factor(double smallest) {
  const std::size_t n = size_;
  double largest = 0.0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, a_[i * n + i]);
  for (int first = 0; first < size_; first += kPanel) {
    const int width = std::min(kPanel, size_ - first);
    if (!factor_panel(first, width, smallest * largest)) {
      failed_pivot_ /= largest;
      return false;
    }
    pack(a_.data() + static_cast<std::size_t>(first) * n, first + width, width);
    add_packed(first + width, width, -1.0);
  }
  return true;
}

// Columns first .. first + width - 1, whose updates from the left are done.
bool DenseCholesky::factor_panel(int first, int width, double least) {
  const std::size_t n = size_;
  for (int j = first; j < first + width; ++j) {
    double* const column = a_.data() + j * n;
    Column below(column + j, size_ - j);
    for (int k = first; k < j; ++k) {
      const double* const other = a_.data() + k * n;
      below -= other[j] * ConstColumn(other + j, size_ - j);
    }
    if (!(column[j] > least)) {
      failed_pivot_ = column[j];
      failed_row_ = j;
      return false;
    }
    below /= std::sqrt(column[j]);
  }
  return true;
}

void DenseCholesky::add_products(const double* b, int columns) {
  const std::size_t n = size_;
  for (int first = 0; first < columns; first += kPanel) {
    const int width = std::min(kPanel, columns - first);
    pack(b + first * n, 0, width);
    add_packed(0, width, 1.0);
  }
}

// Rows `begin` and below of the columns, four by four: entry (r, k) of tile t stands at
// packed[(t width + k) 4 + r].
void DenseCholesky::pack(const double* columns, int begin, int width) {
  const std::size_t n = size_;
  for (int row = begin, tile = 0; row < size_; row += kTile, ++tile) {
    const int count = std::min(kTile, size_ - row);
    double* const target = packed_.data() + static_cast<std::size_t>(tile) * width * kTile;
    for (int k = 0; k < width; ++k) {
      const double* const column = columns + k * n + row;
      for (int r = 0; r < kTile; ++r) target[k * kTile + r] = r < count ? column[r] : 0.0;
    }
  }
}

// A22 := A22 + sign B B' for the packed rows B, lower triangle.
void DenseCholesky::add_packed(int begin, int width, double sign) {
  const std::size_t n = size_;
  const auto tile_of = [&](int row) {
    return packed_.data() + static_cast<std::size_t>((row - begin) / kTile) * width * kTile;
  };
  Tile sums[kTile];
  for (int j = begin; j < size_; j += kTile) {
    const int columns = std::min(kTile, size_ - j);
    for (int i = j; i < size_; i += kTile) {
      tile_product(tile_of(i), tile_of(j), width, sums);
      double* const corner = a_.data() + j * n + i;
      if (i + kTile <= size_ && columns == kTile) {
        for (int c = 0; c < kTile; ++c) Eigen::Map<Tile>(corner + c * n) += sign * sums[c];
      } else {
        for (int c = 0; c < columns; ++c) {
          for (int r = 0; r < std::min(kTile, size_ - i); ++r)
            corner[c * n + r] += sign * sums[c][r];
        }
      }
    }
  }
}

void DenseCholesky::solve(double* x) const {
  solve_lower(x);
  solve_lower_transposed(x);
}

void DenseCholesky::solve_lower(double* x) const {
  const std::size_t n = size_;
  for (int k = 0; k < size_; ++k) {
    if (x[k] == 0.0) continue;
    const double* const column = a_.data() + k * n;
    x[k] /= column[k];
    Column(x + k + 1, size_ - k - 1) -= x[k] * ConstColumn(column + k + 1, size_ - k - 1);
  }
}

void DenseCholesky::solve_lower_transposed(double* x) const {
  const std::size_t n = size_;
  for (int k = size_ - 1; k >= 0; --k) {
    const double* const column = a_.data() + k * n;
    const int below = size_ - k - 1;
    const double sum = ConstColumn(column + k + 1, below).dot(ConstColumn(x + k + 1, below));
    x[k] = (x[k] - sum) / column[k];
  }
}

}  // namespace perp
