// A square matrix stored by columns, dense or sparse, for methods that work with its columns.
#pragma once

#include <Eigen/Core>
#include <perp/problems/matrix/matrix.hpp>
#include <vector>

namespace perp {

/// Columns of a square matrix, dense or sparse. Its memory is kept, so that filling it again
/// allocates only if there are more entries.
class ColumnMatrix {
 public:
  /// Begins a sparse matrix with room for so many entries; append() and end_column() fill it column
  /// by column.
  void begin(int size, long entries);
  void append(int row, double value) {
    rows_.push_back(row);
    values_.push_back(value);
  }
  void end_column() { starts_.push_back(static_cast<int>(rows_.size())); }
  /// Begins a dense matrix of zeros; set() fills it.
  void begin_dense(int size);
  void set(int row, int column, double value) { dense_values_(row, column) = value; }

  int size() const { return size_; }
  bool is_dense() const { return dense_; }
  long stored() const {
    return dense_ ? static_cast<long>(size_) * size_ : static_cast<long>(rows_.size());
  }

  /// y += alpha * column j.
  void add_column(int j, double alpha, double* y) const {
    if (dense_) {
      Eigen::Map<Vector>(y, size_) += alpha * dense_values_.col(j);
    } else {
      for (int k = starts_[j]; k < starts_[j + 1]; ++k) y[rows_[k]] += alpha * values_[k];
    }
  }
  /// y' * column j.
  double dot_column(int j, const double* y) const {
    if (dense_) return dense_values_.col(j).dot(Eigen::Map<const Vector>(y, size_));
    double sum = 0.0;
    for (int k = starts_[j]; k < starts_[j + 1]; ++k) sum += values_[k] * y[rows_[k]];
    return sum;
  }
  template <class F>
  void for_column(int j, F&& f) const {
    if (dense_) {
      for (int i = 0; i < size_; ++i) f(i, dense_values_(i, j));
    } else {
      for (int k = starts_[j]; k < starts_[j + 1]; ++k) f(rows_[k], values_[k]);
    }
  }

 private:
  int size_ = 0;
  bool dense_ = false;
  DenseMatrix dense_values_;
  std::vector<int> starts_, rows_;
  std::vector<double> values_;
};

}  // namespace perp
