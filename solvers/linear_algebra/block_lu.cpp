#include <perp/solvers/linear_algebra/block_lu.hpp>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <perp/solvers/linear_algebra/minimum_degree.hpp>
#include <utility>

namespace perp {

namespace {

constexpr double kSingularPivot = 1e-14;  // pivot over the largest entry of its diagonal block
constexpr double kBackwardError = 1e-12;
constexpr int kBlockRefinements = 3;

// A column of a block, padded.
using Column4 = Eigen::Map<Eigen::Array4d>;
using ConstColumn4 = Eigen::Map<const Eigen::Array4d>;

// x -= a b
inline void subtract_product(const double* a, const double* b, double* x) {
  const Eigen::Array4d a0 = ConstColumn4(a), a1 = ConstColumn4(a + 4), a2 = ConstColumn4(a + 8);
  for (int j = 0; j < 12; j += 4) Column4(x + j) -= a0 * b[j] + a1 * b[j + 1] + a2 * b[j + 2];
}

// x := a b
inline void set_product(const double* a, const double* b, double* x) {
  const Eigen::Array4d a0 = ConstColumn4(a), a1 = ConstColumn4(a + 4), a2 = ConstColumn4(a + 8);
  for (int j = 0; j < 12; j += 4) Column4(x + j) = a0 * b[j] + a1 * b[j + 1] + a2 * b[j + 2];
}

// y -= a x
inline void subtract_times(const double* a, const double* x, double* y) {
  for (int i = 0; i < 3; ++i) y[i] -= a[i] * x[0] + a[4 + i] * x[1] + a[8 + i] * x[2];
}

// Gauss-Jordan elimination with partial pivoting.
bool invert(const double* block, double* inverse) {
  double a[3][6];
  double largest = 0.0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      a[i][j] = block[4 * j + i];
      a[i][3 + j] = i == j ? 1.0 : 0.0;
      largest = std::max(largest, std::abs(a[i][j]));
    }
  }
  for (int k = 0; k < 3; ++k) {
    int pivot = k;
    for (int i = k + 1; i < 3; ++i) {
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    }
    if (!(std::abs(a[pivot][k]) > kSingularPivot * largest)) return false;
    std::swap(a[k], a[pivot]);
    const double scale = 1.0 / a[k][k];
    for (double& value : a[k]) value *= scale;
    for (int i = 0; i < 3; ++i) {
      if (i == k) continue;
      const double factor = a[i][k];
      for (int j = k; j < 6; ++j) a[i][j] -= factor * a[k][j];
    }
  }
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) inverse[4 * j + i] = a[i][3 + j];
    inverse[4 * j + 3] = 0.0;
  }
  return true;
}

}  // namespace

void BlockLu::begin(int size) {
  size_ = size;
  a_.starts.assign(1, 0);
  a_.rows.clear();
  if (std::exchange(has_factored_, false)) values_.swap(factored_values_);
  values_.clear();
}

double* BlockLu::append(int row) {
  a_.rows.push_back(row);
  values_.resize(values_.size() + 9);
  return values_.data() + values_.size() - 9;
}

void BlockLu::analyse() {
  if (a_ == analysed_) return;
  factored_ = has_factored_ = false;
  analysed_.starts.clear();  // until all of this is done
  factored_values_.reserve(values_.size());
  order_blocks();
  find_pattern();
  find_pattern_of_u();
  lower_.resize(kStored * l_.rows.size());
  upper_.resize(kStored * l_.rows.size());
  inverses_.resize(static_cast<std::size_t>(kStored) * size_);
  column_.assign(static_cast<std::size_t>(kStored) * size_, 0.0);
  for (std::vector<double>* v : {&side_, &residual_, &scratch_})
    v->resize(3 * static_cast<std::size_t>(size_));
  analysed_ = a_;
}

void BlockLu::order_blocks() {
  find_minimum_degree_order(a_.starts, a_.rows, order_);
  position_.resize(size_);
  for (int k = 0; k < size_; ++k) position_[order_[k]] = k;
}

// Column k of L has the rows of column k of A + A' and those of the columns whose first row below
// the diagonal is k: its children in the elimination tree [Davis2005].
void BlockLu::find_pattern() {
  auto& below_starts = tree_.below_starts;
  auto& below = tree_.below;
  auto& mark = tree_.mark;
  auto& first_child = tree_.first_child;
  auto& next_child = tree_.next_child;
  below_starts.assign(size_ + 2, 0);
  const auto for_entries = [&](auto&& visit) {
    for (int j = 0; j < size_; ++j) {
      for (int k = a_.starts[j]; k < a_.starts[j + 1]; ++k) {
        const auto [first, last] = std::minmax(position_[j], position_[a_.rows[k]]);
        if (first != last) visit(first, last);
      }
    }
  };
  for_entries([&](int first, int) { ++below_starts[first + 2]; });
  for (int k = 2; k < size_ + 2; ++k) below_starts[k] += below_starts[k - 1];
  below.resize(below_starts[size_ + 1]);
  for_entries([&](int first, int last) { below[below_starts[first + 1]++] = last; });

  for (std::vector<int>* v : {&mark, &first_child, &next_child}) v->assign(size_, -1);
  l_.starts.assign(1, 0);
  l_.rows.clear();
  operations_ = 0.0;
  for (int k = 0; k < size_; ++k) {
    const auto begin = static_cast<std::ptrdiff_t>(l_.rows.size());
    const auto add = [&](int row) {
      if (row == k || mark[row] == k) return;
      mark[row] = k;
      l_.rows.push_back(row);
    };
    for (int e = below_starts[k]; e < below_starts[k + 1]; ++e) add(below[e]);
    for (int child = first_child[k]; child >= 0; child = next_child[child]) {
      for (int e = l_.starts[child]; e < l_.starts[child + 1]; ++e) add(l_.rows[e]);
    }
    std::sort(l_.rows.begin() + begin, l_.rows.end());
    l_.starts.push_back(static_cast<int>(l_.rows.size()));
    const double count = static_cast<double>(l_.rows.size()) - static_cast<double>(begin);
    operations_ += 54.0 * (count * count + count + 1.0);
    if (count == 0) continue;
    const int parent = l_.rows[begin];
    next_child[k] = first_child[parent];
    first_child[parent] = k;
  }
}

// Row j of L has the pattern of column j of U.
void BlockLu::find_pattern_of_u() {
  u_.starts.assign(size_ + 2, 0);
  for (const int row : l_.rows) ++u_.starts[row + 2];
  for (int j = 2; j < size_ + 2; ++j) u_.starts[j] += u_.starts[j - 1];
  u_.rows.resize(l_.rows.size());
  for (int k = 0; k < size_; ++k) {
    for (int e = l_.starts[k]; e < l_.starts[k + 1]; ++e) u_.rows[u_.starts[l_.rows[e] + 1]++] = k;
  }
}

// Subtracts from the column of A in column_ the contributions of the columns before. Its blocks of
// U go to upper_, the others stay.
void BlockLu::eliminate(int column) {
  for (int e = u_.starts[column]; e < u_.starts[column + 1]; ++e) {
    const int k = u_.rows[e];
    double* u = &upper_[static_cast<std::size_t>(kStored) * e];
    double* x = &column_[static_cast<std::size_t>(kStored) * k];
    double b[kStored];
    std::copy_n(x, kStored, b);
    std::copy_n(b, kStored, u);
    std::fill_n(x, kStored, 0.0);
    for (int f = l_.starts[k]; f < l_.starts[k + 1]; ++f) {
      subtract_product(&lower_[static_cast<std::size_t>(kStored) * f], b,
                       &column_[static_cast<std::size_t>(kStored) * l_.rows[f]]);
    }
  }
}

// Whether the values, in the pattern analysed, are those of the last factorisation.
bool BlockLu::is_factored() const {
  return factored_ && values_.size() == factored_values_.size() &&
         std::memcmp(values_.data(), factored_values_.data(), sizeof(double) * values_.size()) == 0;
}

bool BlockLu::factor() {
  analyse();
  if (is_factored()) return has_factored_ = true;
  factored_ = has_factored_ = false;
  std::fill(column_.begin(), column_.end(), 0.0);
  for (int j = 0; j < size_; ++j) {
    for (int k = a_.starts[order_[j]]; k < a_.starts[order_[j] + 1]; ++k) {
      const double* from = &values_[9 * static_cast<std::size_t>(k)];
      double* to = &column_[static_cast<std::size_t>(kStored) * position_[a_.rows[k]]];
      for (int c = 0; c < 3; ++c) std::copy_n(from + 3 * c, 3, to + 4 * c);
    }
    eliminate(j);
    double* diagonal = &column_[static_cast<std::size_t>(kStored) * j];
    double* inverse = &inverses_[static_cast<std::size_t>(kStored) * j];
    if (!invert(diagonal, inverse)) return false;
    std::fill_n(diagonal, kStored, 0.0);
    for (int e = l_.starts[j]; e < l_.starts[j + 1]; ++e) {
      double* x = &column_[static_cast<std::size_t>(kStored) * l_.rows[e]];
      set_product(x, inverse, &lower_[static_cast<std::size_t>(kStored) * e]);
      std::fill_n(x, kStored, 0.0);
    }
  }
  return factored_ = has_factored_ = true;
}

void BlockLu::substitute(double* x) {
  double* y = scratch_.data();
  for (int k = 0; k < size_; ++k) std::copy_n(x + 3 * order_[k], 3, y + 3 * k);
  for (int k = 0; k < size_; ++k) {
    for (int e = l_.starts[k]; e < l_.starts[k + 1]; ++e)
      subtract_times(&lower_[static_cast<std::size_t>(kStored) * e], y + 3 * k, y + 3 * l_.rows[e]);
  }
  for (int k = size_ - 1; k >= 0; --k) {
    double value[3] = {0.0, 0.0, 0.0};
    subtract_times(&inverses_[static_cast<std::size_t>(kStored) * k], y + 3 * k, value);
    for (int i = 0; i < 3; ++i) y[3 * k + i] = -value[i];
    for (int e = u_.starts[k]; e < u_.starts[k + 1]; ++e)
      subtract_times(&upper_[static_cast<std::size_t>(kStored) * e], y + 3 * k, y + 3 * u_.rows[e]);
  }
  for (int k = 0; k < size_; ++k) std::copy_n(y + 3 * k, 3, x + 3 * order_[k]);
}

// residual_ := side_ - A x. @return whether it is as small as rounding
bool BlockLu::is_solved(const double* x) {
  residual_ = side_;
  for (std::size_t i = 0; i < side_.size(); ++i) scratch_[i] = std::abs(side_[i]);
  for (int j = 0; j < size_; ++j) {
    const double* xj = x + 3 * j;
    for (int k = a_.starts[j]; k < a_.starts[j + 1]; ++k) {
      const double* a = &values_[9 * static_cast<std::size_t>(k)];
      double* r = &residual_[3 * static_cast<std::size_t>(a_.rows[k])];
      double* size = &scratch_[3 * static_cast<std::size_t>(a_.rows[k])];
      for (int i = 0; i < 3; ++i) {
        r[i] -= a[i] * xj[0] + a[3 + i] * xj[1] + a[6 + i] * xj[2];
        size[i] += std::abs(a[i] * xj[0]) + std::abs(a[3 + i] * xj[1]) + std::abs(a[6 + i] * xj[2]);
      }
    }
  }
  double error = 0.0, scale = 0.0;
  bool finite = true;
  for (std::size_t i = 0; i < side_.size(); ++i) {
    finite = finite && std::isfinite(residual_[i]);
    error = std::max(error, std::abs(residual_[i]));
    scale = std::max(scale, scratch_[i]);
  }
  return finite && error <= kBackwardError * scale;
}

bool BlockLu::solve(double* x) {
  std::copy_n(x, side_.size(), side_.begin());
  substitute(x);
  for (int k = 0; !is_solved(x); ++k) {
    if (k == kBlockRefinements) return false;
    substitute(residual_.data());
    for (std::size_t i = 0; i < side_.size(); ++i) x[i] += residual_[i];
  }
  return true;
}

}  // namespace perp
