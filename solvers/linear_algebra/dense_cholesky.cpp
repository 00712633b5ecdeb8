#include <perp/solvers/linear_algebra/dense_cholesky.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

void DenseCholesky::reserve(int max_size) {
  const auto n = static_cast<std::size_t>(max_size);
  if (a_.size() < n * n) a_.resize(n * n);
  product_.reserve(max_size, max_size);
}

double* DenseCholesky::matrix(int size) {
  reserve(size);
  size_ = size;
  return a_.data();
}

bool DenseCholesky::factor(double smallest, int part) {
  part_ = part;
  const std::size_t n = size_;
  double largest = 0.0;
  for (int i = 0; i < part; ++i) largest = std::max(largest, a_[i * n + i]);
  if (!factor_columns(0, part, smallest * largest)) {
    failed_pivot_ /= largest;
    return false;
  }
  if (part == size_) return true;
  const double* const below = a_.data() + part;
  product_.add(-1.0, {below, size_ - part, size_}, {below, size_ - part, size_}, part, nullptr,
               a_.data() + part * n + part, size_, true);
  return true;
}

// Factorises columns whose updates from the left are done, with all rows below.
bool DenseCholesky::factor_columns(int begin, int end, double least) {
  if (end - begin <= kNarrow) return factor_narrow(begin, end, least);
  const int middle = begin + first_half(end - begin);
  if (!factor_columns(begin, middle, least)) return false;
  const std::size_t n = size_;
  const double* const left = a_.data() + begin * n + middle;
  product_.add(-1.0, {left, size_ - middle, size_}, {left, end - middle, size_}, middle - begin,
               nullptr, a_.data() + middle * n + middle, size_, true);
  return factor_columns(middle, end, least);
}

// Factorises at most kNarrow columns: first their own rows, column by column, then the rows below,
// for which L = (unit lower triangle) D.
bool DenseCholesky::factor_narrow(int begin, int end, double least) {
  const std::size_t n = size_;
  const int width = end - begin;
  double* const block = a_.data() + begin * n + begin;
  double unit[kNarrow * kNarrow], inverses[kNarrow];
  for (int j = 0; j < width; ++j) {
    double* const column = block + j * n;
    for (int k = 0; k < j; ++k) {
      const double* const other = block + k * n;
      for (int i = j; i < width; ++i) column[i] -= other[j] * other[i];
    }
    if (!(column[j] > least)) {
      failed_pivot_ = column[j];
      failed_row_ = begin + j;
      return false;
    }
    const double root = std::sqrt(column[j]);
    for (int i = j; i < width; ++i) column[i] /= root;
    inverses[j] = 1.0 / root;
    for (int i = j + 1; i < width; ++i) unit[j * kNarrow + i] = column[i] * inverses[j];
  }
  dense_kernels().divide_rows(size_ - end, width, block + width, size_, unit, kNarrow, inverses);
  return true;
}

void DenseCholesky::add_products(const double* b, int rows, int columns) {
  const DensePart part{b, rows, rows};
  product_.add(1.0, part, part, columns, nullptr, a_.data(), size_, true);
}

void DenseCholesky::solve(double* x) const {
  solve_lower(x);
  solve_lower_transposed(x);
}

// In blocks of kNarrow unknowns: their own triangle, then the rows below.
void DenseCholesky::solve_lower(double* x) const {
  const std::size_t n = size_;
  for (int begin = 0; begin < part_; begin += kNarrow) {
    const int end = std::min(begin + kNarrow, part_);
    const double* const block = a_.data() + begin * n;
    for (int k = begin; k < end; ++k) {
      const double* const column = a_.data() + k * n;
      x[k] /= column[k];
      for (int i = k + 1; i < end; ++i) x[i] -= x[k] * column[i];
    }
    dense_kernels().subtract_product(part_ - end, end - begin, block + end, size_, x + begin,
                                     x + end);
  }
}

void DenseCholesky::solve_lower_transposed(double* x) const {
  const std::size_t n = size_;
  for (int begin = (part_ - 1) / kNarrow * kNarrow; begin >= 0; begin -= kNarrow) {
    const int end = std::min(begin + kNarrow, part_);
    const double* const block = a_.data() + begin * n;
    dense_kernels().subtract_transposed(part_ - end, end - begin, block + end, size_, x + end,
                                        x + begin);
    for (int k = end - 1; k >= begin; --k) {
      const double* const column = a_.data() + k * n;
      for (int i = k + 1; i < end; ++i) x[k] -= column[i] * x[i];
      x[k] /= column[k];
    }
  }
}

}  // namespace perp
