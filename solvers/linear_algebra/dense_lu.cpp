#include <perp/solvers/linear_algebra/dense_lu.hpp>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace perp {

namespace {

constexpr int kPanel = 4;
constexpr double kSingular = 1e-15;  // pivots below this times max|A| count as zero

using ConstColumn = Eigen::Map<const Eigen::VectorXd>;
using Column = Eigen::Map<Eigen::VectorXd>;

}  // namespace

void DenseLu::reserve(int max_size) {
  const auto entries = static_cast<std::size_t>(max_size) * max_size;
  if (a_.size() < entries) a_.resize(entries);
  if (static_cast<int>(swaps_.size()) < max_size) swaps_.resize(max_size);
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
  for (int first = 0; first < size_; first += kPanel) {
    const int width = std::min(kPanel, size_ - first);
    if (!factor_panel(first, width)) return false;
    update_trailing(first, width);
  }
  return true;
}

// Unblocked elimination inside the panel; row swaps are applied to whole rows.
bool DenseLu::factor_panel(int first, int width) {
  const int n = size_;
  double* const a = a_.data();
  for (int k = first; k < first + width; ++k) {
    double* const column = a + static_cast<std::size_t>(k) * n;
    int pivot = k;
    for (int i = k + 1; i < n; ++i) {
      if (std::abs(column[i]) > std::abs(column[pivot])) pivot = i;
    }
    if (!(std::abs(column[pivot]) > kSingular * largest_)) return false;
    swaps_[k] = pivot;
    if (pivot != k) {
      for (int j = 0; j < n; ++j) {
        std::swap(a[static_cast<std::size_t>(j) * n + k],
                  a[static_cast<std::size_t>(j) * n + pivot]);
      }
    }
    const double inverse = 1.0 / column[k];
    for (int i = k + 1; i < n; ++i) column[i] *= inverse;
    for (int j = k + 1; j < first + width; ++j) {
      double* const other = a + static_cast<std::size_t>(j) * n;
      const double factor = other[k];
      if (factor == 0.0) continue;
      for (int i = k + 1; i < n; ++i) other[i] -= factor * column[i];
    }
  }
  return true;
}

// Columns right of the panel: U12 := L11^-1 A12, A22 := A22 - L21 U12, four axpys in one sweep.
void DenseLu::update_trailing(int first, int width) {
  const int n = size_;
  const double* const l0 = a_.data() + static_cast<std::size_t>(first) * n;
  const double *const l1 = l0 + n, *const l2 = l1 + n, *const l3 = l2 + n;
  if (width < kPanel) return;  // the last panel has nothing to its right
  for (int j = first + width; j < n; ++j) {
    double* const __restrict c = a_.data() + static_cast<std::size_t>(j) * n;
    const double u0 = c[first];
    const double u1 = c[first + 1] -= l0[first + 1] * u0;
    const double u2 = c[first + 2] -= l0[first + 2] * u0 + l1[first + 2] * u1;
    const double u3 = c[first + 3] -= l0[first + 3] * u0 + l1[first + 3] * u1 + l2[first + 3] * u2;
    if (u0 == 0.0 && u1 == 0.0 && u2 == 0.0 && u3 == 0.0) continue;
    for (int i = first + kPanel; i < n; ++i) {
      c[i] -= (l0[i] * u0 + l1[i] * u1) + (l2[i] * u2 + l3[i] * u3);
    }
  }
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
