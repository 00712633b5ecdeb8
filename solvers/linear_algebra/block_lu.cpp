#include <perp/solvers/linear_algebra/block_lu.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <perp/problems/limits/current_deadline.hpp>
#include <perp/solvers/linear_algebra/minimum_degree.hpp>
#include <utility>

namespace perp {

namespace {

constexpr double kBackwardError = 1e-12;
constexpr int kBlockRefinements = 3;

// Asked at each column, but looked up at few: a column of a small matrix takes less time than that.
bool is_late(int column) { return column % 16 == 15 && CurrentDeadline::passed(); }

// From x to y, which have so many values a block.
template <int kFrom, int kTo>
void copy_blocks(int count, const double* x, double* y) {
  for (int k = 0; k < count; ++k, x += kFrom, y += kTo) {
    for (int i = 0; i < 3; ++i) y[i] = x[i];
  }
}

}  // namespace

void BlockLu::begin(int size) {
  size_ = size;
  a_.starts.assign(1, 0);
  a_.rows.clear();
  if (std::exchange(has_factored_, false)) values_.swap(factored_values_);
}

double* BlockLu::append_column(std::span<const int> rows) {
  const std::size_t begin = filled();
  a_.rows.insert(a_.rows.end(), rows.begin(), rows.end());
  a_.starts.push_back(static_cast<int>(a_.rows.size()));
  if (values_.size() < filled()) values_.resize(std::max(filled(), 2 * values_.size()));
  return values_.data() + begin;
}

bool BlockLu::analyse() {
  if (a_ == analysed_) return true;
  factored_ = has_factored_ = false;
  analysed_.starts.clear();  // until all of this is done
  if (factored_values_.size() < filled()) factored_values_.resize(values_.size());
  order_blocks();
  if (!find_pattern()) return false;
  find_pattern_of_u();
  lower_.resize(kBlockValues * l_.rows.size());
  upper_.resize(kBlockValues * l_.rows.size());
  inverses_.resize(static_cast<std::size_t>(kBlockValues) * size_);
  column_.assign(static_cast<std::size_t>(kBlockValues) * size_, 0.0);
  for (Values* v : {&sides_.given, &sides_.solution, &sides_.residual, &sides_.scratch})
    v->assign(static_cast<std::size_t>(kBlockStride) * size_, 0.0);
  analysed_ = a_;
  return true;
}

void BlockLu::order_blocks() {
  find_minimum_degree_order(a_.starts, a_.rows, order_);
  position_.resize(size_);
  for (int k = 0; k < size_; ++k) position_[order_[k]] = k;
}

// Column k of L has the rows of column k of A + A' and those of the columns whose first row below
// the diagonal is k: its children in the elimination tree [Davis2005].
bool BlockLu::find_pattern() {
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
    if (is_late(k)) return false;
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
  return true;
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

// Whether the values, in the pattern analysed, are those of the last factorisation.
bool BlockLu::is_factored() const {
  return factored_ &&
         std::memcmp(values_.data(), factored_values_.data(), sizeof(double) * filled()) == 0;
}

void BlockLu::load_column(int column) {
  const std::size_t bytes = sizeof(double) * kBlockValues;
  for (int k = a_.starts[column]; k < a_.starts[column + 1]; ++k) {
    std::memcpy(&column_[static_cast<std::size_t>(kBlockValues) * position_[a_.rows[k]]],
                &values_[static_cast<std::size_t>(kBlockValues) * k], bytes);
  }
}

bool BlockLu::factor() {
  if (!analyse()) return false;
  if (is_factored()) return has_factored_ = true;
  factored_ = has_factored_ = false;
  std::fill(column_.begin(), column_.end(), 0.0);
  for (int j = 0; j < size_; ++j) {
    if (is_late(j)) return false;
    load_column(order_[j]);
    block_kernels().eliminate(u_.starts[j], u_.starts[j + 1], u_.rows.data(), upper_.data(),
                              l_.with(lower_), column_.data());
    double* diagonal = &column_[static_cast<std::size_t>(kBlockValues) * j];
    double* inverse = &inverses_[static_cast<std::size_t>(kBlockValues) * j];
    if (!block_kernels().invert(diagonal, inverse)) return false;
    std::fill_n(diagonal, kBlockValues, 0.0);
    block_kernels().divide(l_.starts[j], l_.starts[j + 1], l_.rows.data(), inverse, column_.data(),
                           lower_.data());
  }
  return factored_ = has_factored_ = true;
}

void BlockLu::substitute(double* x) {
  copy_blocks<3, kBlockStride>(size_, x, sides_.solution.data());
  substitute_padded(sides_.solution.data());
  copy_blocks<kBlockStride, 3>(size_, sides_.solution.data(), x);
}

void BlockLu::substitute_padded(double* x) {
  double* y = sides_.scratch.data();
  for (int k = 0; k < size_; ++k)
    copy_blocks<kBlockStride, kBlockStride>(1, x + kBlockStride * order_[k], y + kBlockStride * k);
  block_kernels().substitute(size_, l_.with(lower_), u_.with(upper_), inverses_.data(), y);
  for (int k = 0; k < size_; ++k)
    copy_blocks<kBlockStride, kBlockStride>(1, y + kBlockStride * k, x + kBlockStride * order_[k]);
}

// The residual := given - A x. @return whether it is as small as rounding
bool BlockLu::is_solved(const double* x) {
  sides_.residual = sides_.given;
  for (std::size_t i = 0; i < sides_.given.size(); ++i)
    sides_.scratch[i] = std::abs(sides_.given[i]);
  block_kernels().subtract(size_, a_.with(values_), x, sides_.residual.data(),
                           sides_.scratch.data());
  double error = 0.0, scale = 0.0;
  bool finite = true;
  for (std::size_t k = 0; k < sides_.given.size(); k += kBlockStride) {
    for (std::size_t i = k; i < k + 3; ++i) {
      finite = finite && std::isfinite(sides_.residual[i]);
      error = std::max(error, std::abs(sides_.residual[i]));
      scale = std::max(scale, sides_.scratch[i]);
    }
  }
  return finite && error <= kBackwardError * scale;
}

bool BlockLu::solve(double* x) {
  copy_blocks<3, kBlockStride>(size_, x, sides_.given.data());
  sides_.solution = sides_.given;
  substitute_padded(sides_.solution.data());
  for (int k = 0; !is_solved(sides_.solution.data()); ++k) {
    if (k == kBlockRefinements) return false;
    substitute_padded(sides_.residual.data());
    for (std::size_t i = 0; i < sides_.given.size(); ++i) sides_.solution[i] += sides_.residual[i];
  }
  copy_blocks<kBlockStride, 3>(size_, sides_.solution.data(), x);
  return true;
}

}  // namespace perp
