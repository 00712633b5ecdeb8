#include <perp/solvers/linear_algebra/column_matrix.hpp>

namespace perp {

void ColumnMatrix::begin(int size) {
  size_ = size;
  dense_ = false;
  starts_.assign(1, 0);
  rows_.clear();
  values_.clear();
}

void ColumnMatrix::begin_dense(int size) {
  size_ = size;
  dense_ = true;
  dense_values_.setZero(size, size);
}

void ColumnMatrix::finish(double dense_above) {
  if (static_cast<double>(rows_.size()) <= dense_above * size_ * size_) return;
  dense_values_.setZero(size_, size_);
  for (int j = 0; j < size_; ++j) {
    for (int k = starts_[j]; k < starts_[j + 1]; ++k) dense_values_(rows_[k], j) = values_[k];
  }
  dense_ = true;
  std::vector<int>().swap(rows_);
  std::vector<double>().swap(values_);
}

}  // namespace perp
