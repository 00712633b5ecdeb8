#include <perp/solvers/linear_algebra/dense_lu.hpp>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace perp {

namespace {

constexpr int kPanel = 4, kFew = 64;
constexpr double kSingular = 1e-15;  // pivots below this times max|A| count as zero

using ConstColumn = Eigen::Map<const Eigen::VectorXd>;
using Column = Eigen::Map<Eigen::VectorXd>;

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
  const auto entries = static_cast<std::size_t>(size_) * size_;
  largest_ = 0.0;
  for (std::size_t i = 0; i < entries; ++i) largest_ = std::max(largest_, std::abs(a_[i]));
  return factor_columns(0, size_);
}

// Factorises columns whose updates from the left are done. Rows are swapped in these columns only.
bool DenseLu::factor_columns(int begin, int end) {
  if (end - begin <= kFew) return factor_few_columns(begin, end);
  const int middle = begin + first_half(end - begin);
  if (!factor_columns(begin, middle)) return false;
  swap_rows(begin, middle, middle, end);
  substitute(begin, middle, middle, end);
  subtract_product(begin, middle, middle, size_, middle, end);
  if (!factor_columns(middle, end)) return false;
  swap_rows(middle, end, begin, middle);
  return true;
}

// Factorises few columns by panels of kPanel. One sweep updates the columns right of a panel.
bool DenseLu::factor_few_columns(int begin, int end) {
  for (int first = begin; first < end; first += kPanel) {
    const int last = std::min(first + kPanel, end);
    if (!factor_panel(first, last, begin, end)) return false;
    if (last < end) sweep(first, last, end);
  }
  return true;
}

// Finds the pivots of the columns first .. last; rows are swapped in the columns begin .. end.
bool DenseLu::factor_panel(int first, int last, int begin, int end) {
  const int n = size_;
  for (int k = first; k < last; ++k) {
    double* const column = column_at(k);
    int pivot = k;
    for (int i = k + 1; i < n; ++i) {
      if (std::abs(column[i]) > std::abs(column[pivot])) pivot = i;
    }
    if (!(std::abs(column[pivot]) > kSingular * largest_)) return false;
    swaps_[k] = pivot;
    if (pivot != k) {
      for (int j = begin; j < end; ++j) std::swap(column_at(j)[k], column_at(j)[pivot]);
    }
    const double inverse = 1.0 / column[k];
    for (int i = k + 1; i < n; ++i) column[i] *= inverse;
    for (int j = k + 1; j < last; ++j) {
      double* const other = column_at(j);
      const double factor = other[k];
      if (factor == 0.0) continue;
      for (int i = k + 1; i < n; ++i) other[i] -= factor * column[i];
    }
  }
  return true;
}

// Columns right of a panel of kPanel = 4: U12 := L11^-1 A12, A22 := A22 - L21 U12, four axpys in
// one sweep.
void DenseLu::sweep(int first, int begin, int end) {
  const int n = size_;
  const double* const l0 = column_at(first);
  const double *const l1 = l0 + n, *const l2 = l1 + n, *const l3 = l2 + n;
  for (int j = begin; j < end; ++j) {
    double* const __restrict c = column_at(j);
    const double u0 = c[first];
    const double u1 = c[first + 1] -= l0[first + 1] * u0;
    const double u2 = c[first + 2] -= l0[first + 2] * u0 + l1[first + 2] * u1;
    const double u3 = c[first + 3] -= l0[first + 3] * u0 + l1[first + 3] * u1 + l2[first + 3] * u2;
    if (u0 == 0.0 && u1 == 0.0 && u2 == 0.0 && u3 == 0.0) continue;
    for (int i = begin; i < n; ++i) {
      c[i] -= (l0[i] * u0 + l1[i] * u1) + (l2[i] * u2 + l3[i] * u3);
    }
  }
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
  for (int j = begin; j < end; ++j) {
    double* const column = column_at(j);
    for (int k = first; k < last; ++k) {
      if (column[k] == 0.0) continue;
      const double* const l = column_at(k);
      for (int i = k + 1; i < last; ++i) column[i] -= l[i] * column[k];
    }
  }
}

// Subtracts L of the columns first .. last times U from the rows top .. bottom of the columns
// begin .. end.
void DenseLu::subtract_product(int first, int last, int top, int bottom, int begin, int end) {
  product_.add(-1.0, {column_at(first) + top, bottom - top, size_},
               {column_at(begin) + first, end - begin, 1, size_}, last - first, nullptr,
               column_at(begin) + top, size_, false);
}

void DenseLu::solve(double* x) const {
  const int n = size_;
  for (int k = 0; k < n; ++k) std::swap(x[k], x[swaps_[k]]);
  for (int k = 0; k < n; ++k) {
    if (x[k] == 0.0) continue;
    const double* const column = a_.data() + static_cast<std::size_t>(k) * n;
    Column(x + k + 1, n - k - 1) -= x[k] * ConstColumn(column + k + 1, n - k - 1);
  }
  for (int k = n - 1; k >= 0; --k) {
    if (x[k] == 0.0) continue;
    const double* const column = a_.data() + static_cast<std::size_t>(k) * n;
    x[k] /= column[k];
    Column(x, k) -= x[k] * ConstColumn(column, k);
  }
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
