#include <perp/solvers/linear_algebra/sparse_ldl.hpp>

#include <algorithm>
#include <cmath>
#include <perp/solvers/linear_algebra/minimum_degree.hpp>

namespace perp {

void SparseLdl::analyse(int size, const std::vector<int>& starts, const std::vector<int>& rows,
                        const std::vector<signed char>& signs) {
  size_ = size;
  find_minimum_degree_order(starts, rows, k_.order);
  k_.position.resize(size);
  k_.signs.resize(size);
  for (int k = 0; k < size; ++k) {
    k_.position[k_.order[k]] = k;
    k_.signs[k] = signs[k_.order[k]];
  }
  permute_pattern(starts, rows);
  count_columns();
  l_.rows.resize(l_.starts.back());
  l_.values.resize(l_.starts.back());
  l_.filled.resize(size);
  l_.pivots.resize(size);
  row_.path.resize(size);
  row_.columns.resize(size);
  row_.values.assign(size, 0.0);
  work_.resize(size);
}

void SparseLdl::permute_pattern(const std::vector<int>& starts, const std::vector<int>& rows) {
  k_.starts.assign(size_ + 1, 0);
  const auto column_of = [&](int i, int j) { return std::max(k_.position[i], k_.position[j]); };
  for (int j = 0; j < size_; ++j) {
    for (int k = starts[j]; k < starts[j + 1]; ++k) ++k_.starts[column_of(rows[k], j) + 1];
  }
  for (int j = 0; j < size_; ++j) k_.starts[j + 1] += k_.starts[j];
  std::vector<int> next(k_.starts.begin(), k_.starts.end() - 1);
  k_.rows.resize(rows.size());
  k_.target.resize(rows.size());
  k_.values.resize(rows.size());
  for (int j = 0; j < size_; ++j) {
    for (int k = starts[j]; k < starts[j + 1]; ++k) {
      const int place = next[column_of(rows[k], j)]++;
      k_.rows[place] = std::min(k_.position[rows[k]], k_.position[j]);
      k_.target[k] = place;
    }
  }
}

// The elimination tree, and how many entries every column of L has.
void SparseLdl::count_columns() {
  parent_.assign(size_, -1);
  row_.mark.assign(size_, -1);
  std::vector<long> counts(size_, 0);
  for (int k = 0; k < size_; ++k) {
    row_.mark[k] = k;
    for (int p = k_.starts[k]; p < k_.starts[k + 1]; ++p) {
      for (int i = k_.rows[p]; row_.mark[i] != k; i = parent_[i]) {
        if (parent_[i] < 0) parent_[i] = k;
        ++counts[i];
        row_.mark[i] = k;
      }
    }
  }
  l_.starts.assign(size_ + 1, 0);
  operations_ = passed_on_ = 0.0;
  for (int k = 0; k < size_; ++k) {
    l_.starts[k + 1] = l_.starts[k] + counts[k];
    const double pairs = static_cast<double>(counts[k]) * static_cast<double>(counts[k] + 1) / 2;
    operations_ += pairs;
    const bool ends = parent_[k] >= 0 && counts[parent_[k]] != counts[k] - 1;
    if (ends) passed_on_ += pairs;
  }
}

// Row k of P K P', and the columns that are not zero in row k of L, children of the tree first:
// columns[top ..]. @return top
int SparseLdl::find_row(int k, double& pivot) {
  int top = size_;
  row_.mark[k] = k;
  for (int p = k_.starts[k]; p < k_.starts[k + 1]; ++p) {
    int i = k_.rows[p];
    if (i == k) {
      pivot += k_.values[p];
      continue;
    }
    row_.values[i] += k_.values[p];
    int length = 0;
    for (; row_.mark[i] != k; i = parent_[i]) {
      row_.path[length++] = i;
      row_.mark[i] = k;
    }
    while (length > 0) row_.columns[--top] = row_.path[--length];
  }
  return top;
}

// Row k of L D by forward substitution, then of L.
void SparseLdl::eliminate_row(int k, int top, double& pivot) {
  double* row = row_.values.data();
  for (; top < size_; ++top) {
    const int i = row_.columns[top];
    const double y = row[i];
    row[i] = 0.0;
    const long end = l_.starts[i] + l_.filled[i];
    for (long p = l_.starts[i]; p < end; ++p) row[l_.rows[p]] -= l_.values[p] * y;
    const double l = y / l_.pivots[i];
    pivot -= l * y;
    l_.rows[end] = k;
    l_.values[end] = l;
    ++l_.filled[i];
  }
}

bool SparseLdl::factor(const std::vector<double>& values, double least, double substitute) {
  for (std::size_t k = 0; k < values.size(); ++k) k_.values[k_.target[k]] = values[k];
  std::fill(l_.filled.begin(), l_.filled.end(), 0);
  std::fill(row_.mark.begin(), row_.mark.end(), -1);
  substituted_ = {};
  for (int k = 0; k < size_; ++k) {
    double pivot = 0.0;
    const int top = find_row(k, pivot);
    eliminate_row(k, top, pivot);
    if (!std::isfinite(pivot)) {
      std::fill(row_.values.begin(), row_.values.end(), 0.0);
      return false;
    }
    if (!(pivot * k_.signs[k] >= least)) {
      if (substituted_.count++ == 0) {
        substituted_.first = pivot;
        substituted_.row = k_.order[k];
      }
      pivot = k_.signs[k] * substitute;
    }
    l_.pivots[k] = pivot;
  }
  return true;
}

void SparseLdl::solve(double* x) const {
  for (int k = 0; k < size_; ++k) work_[k] = x[k_.order[k]];
  for (int k = 0; k < size_; ++k) {
    const double y = work_[k];
    if (y == 0.0) continue;
    for (long p = l_.starts[k]; p < l_.starts[k + 1]; ++p) work_[l_.rows[p]] -= l_.values[p] * y;
  }
  for (int k = size_ - 1; k >= 0; --k) {
    double y = work_[k] / l_.pivots[k];
    for (long p = l_.starts[k]; p < l_.starts[k + 1]; ++p) y -= l_.values[p] * work_[l_.rows[p]];
    work_[k] = y;
  }
  for (int k = 0; k < size_; ++k) x[k_.order[k]] = work_[k];
}

}  // namespace perp
