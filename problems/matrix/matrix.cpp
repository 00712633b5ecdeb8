#include <perp/problems/matrix/matrix.hpp>

#include <cmath>
#include <vector>

namespace perp {

namespace {

using Extended = long double;

Vector round_to_double(const std::vector<Extended>& sums) {
  Vector result(static_cast<Eigen::Index>(sums.size()));
  for (std::size_t i = 0; i < sums.size(); ++i) result[i] = static_cast<double>(sums[i]);
  return result;
}

}  // namespace

Matrix::Matrix(SparseMatrix sparse) {
  sparse.makeCompressed();
  storage_ = std::move(sparse);
}

Matrix Matrix::from_triplets(int rows, int cols, const std::vector<Triplet>& triplets) {
  SparseMatrix matrix(rows, cols);
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  return Matrix(std::move(matrix));
}

int Matrix::rows() const {
  return std::visit([](const auto& a) { return static_cast<int>(a.rows()); }, storage_);
}

int Matrix::cols() const {
  return std::visit([](const auto& a) { return static_cast<int>(a.cols()); }, storage_);
}

long Matrix::stored() const { return is_sparse() ? sparse().nonZeros() : dense().size(); }

long Matrix::nonzeros() const {
  long count = 0;
  for (int col = 0; col < cols(); ++col) for_column(col, [&](int, double) { ++count; });
  return count;
}

DenseMatrix Matrix::to_dense() const { return is_sparse() ? DenseMatrix(sparse()) : dense(); }

SparseMatrix Matrix::to_sparse() const {
  if (is_sparse()) return sparse();
  SparseMatrix result = dense().sparseView();
  result.makeCompressed();
  return result;
}

double Matrix::coefficient(int row, int col) const {
  return is_sparse() ? sparse().coeff(row, col) : dense()(row, col);
}

bool Matrix::all_finite() const {
  if (!is_sparse()) return dense().allFinite();
  const SparseMatrix& a = sparse();
  return Eigen::Map<const Vector>(a.valuePtr(), a.nonZeros()).allFinite();
}

double Matrix::max_abs() const {
  if (stored() == 0) return 0.0;
  if (!is_sparse()) return dense().cwiseAbs().maxCoeff();
  const SparseMatrix& a = sparse();
  return Eigen::Map<const Vector>(a.valuePtr(), a.nonZeros()).cwiseAbs().maxCoeff();
}

bool Matrix::is_symmetric(double tolerance) const {
  if (rows() != cols()) return false;
  const double bound = tolerance * max_abs();
  if (!is_sparse()) {
    const DenseMatrix& a = dense();
    for (int j = 0; j < a.cols(); ++j) {
      for (int i = 0; i < j; ++i) {
        if (std::abs(a(i, j) - a(j, i)) > bound) return false;
      }
    }
    return true;
  }
  for (int j = 0; j < cols(); ++j) {
    for (SparseMatrix::InnerIterator it(sparse(), j); it; ++it) {
      if (std::abs(it.value() - coefficient(j, static_cast<int>(it.row()))) > bound) return false;
    }
  }
  return true;
}

Vector Matrix::multiply(const Vector& x) const {
  std::vector<Extended> sums(rows(), 0.0L);
  for (int col = 0; col < cols(); ++col) {
    const Extended scale = x[col];
    if (scale == 0.0L) continue;
    for_column(col, [&](int row, double value) { sums[row] += value * scale; });
  }
  return round_to_double(sums);
}

Vector Matrix::multiply_transposed(const Vector& x) const {
  std::vector<Extended> sums(cols(), 0.0L);
  for (int col = 0; col < cols(); ++col) {
    for_column(col, [&](int row, double value) { sums[col] += Extended(value) * x[row]; });
  }
  return round_to_double(sums);
}

Vector Matrix::multiply_abs(const Vector& x) const {
  Vector result = Vector::Zero(rows());
  for (int col = 0; col < cols(); ++col) {
    const double scale = std::abs(x[col]);
    if (scale == 0.0) continue;
    for_column(col, [&](int row, double value) { result[row] += std::abs(value) * scale; });
  }
  return result;
}

}  // namespace perp
