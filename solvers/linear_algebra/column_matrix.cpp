#include <perp/solvers/linear_algebra/column_matrix.hpp>

namespace perp {

void ColumnMatrix::begin(int size, long entries) {
  size_ = size;
  dense_ = false;
  starts_.assign(1, 0);
  rows_.clear();
  values_.clear();
  starts_.reserve(size + 1);
  rows_.reserve(entries);
  values_.reserve(entries);
}

void ColumnMatrix::begin_dense(int size) {
  size_ = size;
  dense_ = true;
  dense_values_.setZero(size, size);
}

}  // namespace perp
