#include <perp/solvers/linear_algebra/dense_cholesky.hpp>

#include <algorithm>
#include <cmath>
#include <perp/problems/limits/current_deadline.hpp>

namespace perp {

void DenseCholesky::reserve(int max_size, int most_below) {
  const auto n = static_cast<std::size_t>(max_size),
             rows = n + static_cast<std::size_t>(most_below);
  if (a_.size() < rows * n) a_.resize(rows * n);
  if (inverses_.size() < n) inverses_.resize(n);
  product_.reserve(max_size + most_below, max_size);
}

double* DenseCholesky::matrix(int size, int below) {
  reserve(size, below);
  size_ = size;
  rows_ = size + below;
  return a_.data();
}

bool DenseCholesky::factor(double smallest) {
  const std::size_t rows = rows_;
  double largest = 0.0;
  for (int i = 0; i < size_; ++i) largest = std::max(largest, a_[i * rows + i]);
  if (factor_columns(0, size_, smallest * largest)) return true;
  failed_pivot_ /= largest;
  return false;
}

// Factorises columns whose updates from the left are done, with all rows below.
bool DenseCholesky::factor_columns(int begin, int end, double least) {
  if (end - begin <= kNarrow) return factor_narrow(begin, end, least);
  const int middle = begin + first_half(end - begin);
  if (!factor_columns(begin, middle, least)) return false;
  if (end - begin >= kColumnsWorthALook && CurrentDeadline::passed()) {
    failed_pivot_ = 0.0;
    failed_row_ = middle;
    return false;
  }
  const std::size_t rows = rows_;
  const double* const left = a_.data() + begin * rows + middle;
  product_.add(-1.0, {left, rows_ - middle, rows_}, {left, end - middle, rows_}, middle - begin,
               nullptr, a_.data() + middle * rows + middle, rows_, true);
  return factor_columns(middle, end, least);
}

// Factorises at most kNarrow columns: first their own rows, column by column, then the rows below,
// for which L = (unit lower triangle) D.
bool DenseCholesky::factor_narrow(int begin, int end, double least) {
  const std::size_t rows = rows_;
  const int width = end - begin;
  if (width == 0) return true;  // the rows below have no entries
  double* const block = a_.data() + begin * rows + begin;
  double* const inverses = inverses_.data() + begin;
  double unit[kNarrow * kNarrow];
  for (int j = 0; j < width; ++j) {
    double* const column = block + j * rows;
    for (int k = 0; k < j; ++k) {
      const double* const other = block + k * rows;
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
  dense_kernels().divide_rows(rows_ - end, width, block + width, rows_, unit, kNarrow, inverses);
  return true;
}

void DenseCholesky::add_products(const double* b, int columns, int stride) {
  const DensePart part{b, size_, stride};
  product_.add(1.0, part, part, columns, nullptr, a_.data(), rows_, true);
}

void DenseCholesky::solve(double* x) const {
  solve_lower(x);
  solve_lower_transposed(x);
}

// In blocks of kNarrow unknowns: their own triangle, then the rows below.
void DenseCholesky::solve_lower(double* x) const {
  const std::size_t rows = rows_;
  for (int begin = 0; begin < size_; begin += kNarrow) {
    const int end = std::min(begin + kNarrow, size_);
    const double* const block = a_.data() + begin * rows;
    for (int k = begin; k < end; ++k) {
      const double* const column = a_.data() + k * rows;
      x[k] *= inverses_[k];
      for (int i = k + 1; i < end; ++i) x[i] -= x[k] * column[i];
    }
    dense_kernels().subtract_product(size_ - end, end - begin, block + end, rows_, x + begin,
                                     x + end);
  }
}

void DenseCholesky::solve_lower_transposed(double* x) const {
  const std::size_t rows = rows_;
  for (int begin = (size_ - 1) / kNarrow * kNarrow; begin >= 0; begin -= kNarrow) {
    const int end = std::min(begin + kNarrow, size_);
    const double* const block = a_.data() + begin * rows;
    dense_kernels().subtract_transposed(size_ - end, end - begin, block + end, rows_, x + end,
                                        x + begin);
    // Rows of L, so that no unknown waits for a sum over those that are known.
    for (int k = end - 1; k >= begin; --k) {
      x[k] *= inverses_[k];
      for (int i = begin; i < k; ++i) x[i] -= a_[i * rows + k] * x[k];
    }
  }
}

}  // namespace perp
