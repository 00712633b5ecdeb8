#include <perp/solvers/linear_algebra/dense_lu.hpp>

#include <perp/problems/limits/current_deadline.hpp>
#include <perp/solvers/linear_algebra/lu_kernels.hpp>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace perp {

namespace {

constexpr int kFew = 64;             // columns; up to here no products of blocks
constexpr double kSingular = 1e-15;  // pivots below this times max|A| count as zero

using ConstColumn = Eigen::Map<const Eigen::VectorXd>;

}  // namespace

void DenseLu::reserve(int max_size) {
  const auto entries = static_cast<std::size_t>(max_size) * max_size;
  if (a_.size() < entries) a_.resize(entries);
  if (static_cast<int>(swaps_.size()) < max_size) swaps_.resize(max_size);
  if (max_size > kFew) product_.reserve(max_size, first_half(max_size));
}

double* DenseLu::matrix(int size) {
  reserve(size);
  size_ = size;
  return a_.data();
}

bool DenseLu::factor() {
  least_ = kSingular * lu_kernels().largest(static_cast<long>(size_) * size_, a_.data());
  return factor_columns(0, size_);
}

// Factorises columns whose updates from the left are done. Rows are swapped in these columns only.
bool DenseLu::factor_columns(int begin, int end) {
  if (end - begin <= kFew)
    return lu_kernels().factor_columns(size_, begin, end, least_, a_.data(), swaps_.data());
  const int middle = begin + first_half(end - begin);
  if (!factor_columns(begin, middle)) return false;
  if (end - begin >= kColumnsWorthALook && CurrentDeadline::passed()) return false;
  swap_rows(begin, middle, middle, end);
  substitute(begin, middle, middle, end);
  subtract_product(begin, middle, middle, size_, middle, end);
  if (!factor_columns(middle, end)) return false;
  swap_rows(middle, end, begin, middle);
  return true;
}

// Does the swaps of the pivots first .. last in the columns begin .. end.
void DenseLu::swap_rows(int first, int last, int begin, int end) {
  for (int j = begin; j < end; ++j) {
    double* const column = column_at(j);
    for (int k = first; k < last; ++k) std::swap(column[k], column[swaps_[k]]);
  }
}

// Rows first .. last of the columns begin .. end: U := L^-1 A.
void DenseLu::substitute(int first, int last, int begin, int end) {
  if (last - first > kNarrow) {
    const int middle = first + first_half(last - first);
    substitute(first, middle, begin, end);
    subtract_product(first, middle, middle, last, begin, end);
    return substitute(middle, last, begin, end);
  }
  lu_kernels().substitute(size_, last - first, end - begin, column_at(first) + first,
                          column_at(begin) + first);
}

// Subtracts L of the columns first .. last times U from the rows top .. bottom of the columns
// begin .. end.
void DenseLu::subtract_product(int first, int last, int top, int bottom, int begin, int end) {
  product_.add(-1.0, {column_at(first) + top, bottom - top, size_},
               {column_at(begin) + first, end - begin, 1, size_}, last - first, nullptr,
               column_at(begin) + top, size_, false);
}

void DenseLu::solve(double* x) const {
  for (int k = 0; k < size_; ++k) std::swap(x[k], x[swaps_[k]]);
  lu_kernels().solve(size_, a_.data(), x);
}

void DenseLu::solve_transposed(double* x) const {
  const int n = size_;
  for (int k = 0; k < n; ++k) {
    const double* const column = a_.data() + static_cast<std::size_t>(k) * n;
    x[k] = (x[k] - ConstColumn(column, k).dot(ConstColumn(x, k))) / column[k];
  }
  for (int k = n - 1; k >= 0; --k) {
    const double* const column = a_.data() + static_cast<std::size_t>(k) * n;
    x[k] -= ConstColumn(column + k + 1, n - k - 1).dot(ConstColumn(x + k + 1, n - k - 1));
  }
  for (int k = n - 1; k >= 0; --k) std::swap(x[k], x[swaps_[k]]);
}

}  // namespace perp
