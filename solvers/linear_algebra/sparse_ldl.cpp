#include <perp/solvers/linear_algebra/sparse_ldl.hpp>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <cmath>

namespace perp {

namespace {

// Approximate minimum degree order of the symmetric pattern: new -> old.
std::vector<int> minimum_degree_order(int size, const std::vector<int>& starts,
                                      const std::vector<int>& rows) {
  std::vector<Eigen::Triplet<double, int>> entries;
  entries.reserve(2 * rows.size());
  for (int j = 0; j < size; ++j) {
    for (int k = starts[j]; k < starts[j + 1]; ++k) {
      entries.emplace_back(rows[k], j, 1.0);
      if (rows[k] != j) entries.emplace_back(j, rows[k], 1.0);
    }
  }
  Eigen::SparseMatrix<double, Eigen::ColMajor, int> pattern(size, size);
  pattern.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  Eigen::AMDOrdering<int>()(pattern, order);
  return {order.indices().data(), order.indices().data() + size};
}

}  // namespace

void SparseLdl::analyse(int size, const std::vector<int>& starts, const std::vector<int>& rows,
                        const std::vector<signed char>& signs) {
  size_ = size;
  order_ = minimum_degree_order(size, starts, rows);
  position_.resize(size);
  signs_.resize(size);
  for (int k = 0; k < size; ++k) {
    position_[order_[k]] = k;
    signs_[k] = signs[order_[k]];
  }
  permute_pattern(starts, rows);
  count_columns();
  l_rows_.resize(l_starts_.back());
  l_values_.resize(l_starts_.back());
  pivots_.resize(size);
  row_.assign(size, 0.0);
  work_.resize(size);
}

void SparseLdl::permute_pattern(const std::vector<int>& starts, const std::vector<int>& rows) {
  starts_.assign(size_ + 1, 0);
  const auto column_of = [&](int i, int j) { return std::max(position_[i], position_[j]); };
  for (int j = 0; j < size_; ++j) {
    for (int k = starts[j]; k < starts[j + 1]; ++k) ++starts_[column_of(rows[k], j) + 1];
  }
  for (int j = 0; j < size_; ++j) starts_[j + 1] += starts_[j];
  std::vector<int> next(starts_.begin(), starts_.end() - 1);
  rows_.resize(rows.size());
  target_.resize(rows.size());
  values_.resize(rows.size());
  for (int j = 0; j < size_; ++j) {
    for (int k = starts[j]; k < starts[j + 1]; ++k) {
      const int place = next[column_of(rows[k], j)]++;
      rows_[place] = std::min(position_[rows[k]], position_[j]);
      target_[k] = place;
    }
  }
}

// The elimination tree, and how many entries every column of L has.
void SparseLdl::count_columns() {
  parent_.assign(size_, -1);
  mark_.assign(size_, -1);
  std::vector<long> counts(size_, 0);
  for (int k = 0; k < size_; ++k) {
    mark_[k] = k;
    for (int p = starts_[k]; p < starts_[k + 1]; ++p) {
      for (int i = rows_[p]; mark_[i] != k; i = parent_[i]) {
        if (parent_[i] < 0) parent_[i] = k;
        ++counts[i];
        mark_[i] = k;
      }
    }
  }
  l_starts_.assign(size_ + 1, 0);
  operations_ = 0.0;
  for (int k = 0; k < size_; ++k) {
    l_starts_[k + 1] = l_starts_[k] + counts[k];
    operations_ += static_cast<double>(counts[k]) * static_cast<double>(counts[k] + 1) / 2;
  }
  filled_.resize(size_);
  path_.resize(size_);
  pattern_.resize(size_);
}

bool SparseLdl::factor(const std::vector<double>& values, double least, double substitute) {
  for (std::size_t k = 0; k < values.size(); ++k) values_[target_[k]] = values[k];
  std::fill(filled_.begin(), filled_.end(), 0);
  std::fill(mark_.begin(), mark_.end(), -1);
  substituted_ = 0;
  for (int k = 0; k < size_; ++k) {
    // Nonzero columns of row k of L, in an order in which the tree's children come first.
    int top = size_;
    double pivot = 0.0;
    mark_[k] = k;
    for (int p = starts_[k]; p < starts_[k + 1]; ++p) {
      int i = rows_[p];
      if (i == k) {
        pivot += values_[p];
        continue;
      }
      row_[i] += values_[p];
      int length = 0;
      for (; mark_[i] != k; i = parent_[i]) {
        path_[length++] = i;
        mark_[i] = k;
      }
      while (length > 0) pattern_[--top] = path_[--length];
    }
    // Row k of L D by forward substitution, then of L.
    for (; top < size_; ++top) {
      const int i = pattern_[top];
      const double y = row_[i];
      row_[i] = 0.0;
      const long end = l_starts_[i] + filled_[i];
      for (long p = l_starts_[i]; p < end; ++p) row_[l_rows_[p]] -= l_values_[p] * y;
      const double l = y / pivots_[i];
      pivot -= l * y;
      l_rows_[end] = k;
      l_values_[end] = l;
      ++filled_[i];
    }
    if (!std::isfinite(pivot)) {
      std::fill(row_.begin(), row_.end(), 0.0);
      return false;
    }
    if (!(pivot * signs_[k] >= least)) {
      if (substituted_++ == 0) {
        first_substituted_ = pivot;
        first_substituted_row_ = order_[k];
      }
      pivot = signs_[k] * substitute;
    }
    pivots_[k] = pivot;
  }
  return true;
}

void SparseLdl::solve(double* x) const {
  for (int k = 0; k < size_; ++k) work_[k] = x[order_[k]];
  for (int k = 0; k < size_; ++k) {
    const double y = work_[k];
    if (y == 0.0) continue;
    for (long p = l_starts_[k]; p < l_starts_[k + 1]; ++p) work_[l_rows_[p]] -= l_values_[p] * y;
  }
  for (int k = size_ - 1; k >= 0; --k) {
    double y = work_[k] / pivots_[k];
    for (long p = l_starts_[k]; p < l_starts_[k + 1]; ++p) y -= l_values_[p] * work_[l_rows_[p]];
    work_[k] = y;
  }
  for (int k = 0; k < size_; ++k) x[order_[k]] = work_[k];
}

}  // namespace perp
