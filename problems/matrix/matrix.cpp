#include <perp/problems/matrix/matrix.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <mutex>
#include <stdexcept>
#include <utility>
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

Matrix Matrix::share(SparseMatrix sparse) {
  sparse.makeCompressed();
  Matrix matrix;
  const bool finite = Eigen::Map<const Vector>(sparse.valuePtr(), sparse.nonZeros()).allFinite();
  matrix.storage_ = std::make_shared<const Kept>(Kept{std::move(sparse), finite});
  return matrix;
}

bool Matrix::shares(const Matrix& other) const {
  const auto* here = std::get_if<Shared>(&storage_);
  const auto* there = std::get_if<Shared>(&other.storage_);
  return here && there && *here == *there;
}

Matrix Matrix::from_triplets(int rows, int cols, const std::vector<Triplet>& triplets) {
  SparseMatrix matrix(rows, cols);
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  return Matrix(std::move(matrix));
}

struct Matrix::Copy {
  std::once_flag once;
  SparseMatrix matrix;
};

Matrix Matrix::borrow(const SparseColumns& columns, std::shared_ptr<const void> owner) {
  if (columns.rows < 0 || columns.cols < 0 || !columns.start || columns.start[0] != 0)
    throw std::invalid_argument("sparse matrix: the columns do not begin at entry 0");
  for (int j = 0; j < columns.cols; ++j) {
    if (columns.start[j + 1] < columns.start[j])
      throw std::invalid_argument(fmt::format("sparse matrix: column {} ends before it begins", j));
  }
  for (int j = 0; j < columns.cols; ++j) {
    for (int k = columns.start[j]; k < columns.start[j + 1]; ++k) {
      const int row = columns.row[k];
      if (row < 0 || row >= columns.rows || (k > columns.start[j] && row <= columns.row[k - 1]))
        throw std::invalid_argument(fmt::format(
            "sparse matrix: column {}: row {} is out of range or out of order", j, row));
    }
  }
  Matrix matrix;
  matrix.storage_ = Borrowed{columns, std::move(owner), std::make_shared<Copy>()};
  return matrix;
}

const SparseMatrix& Matrix::sparse() const {
  if (const SparseMatrix* stored = stored_sparse()) return *stored;
  const Borrowed* borrowed = &std::get<Borrowed>(storage_);
  std::call_once(borrowed->copy->once, [&] {
    const SparseColumns& a = borrowed->columns;
    borrowed->copy->matrix =
        Eigen::Map<const SparseMatrix>(a.rows, a.cols, a.entries(), a.start, a.row, a.value);
  });
  return borrowed->copy->matrix;
}

SparseMatrix& Matrix::sparse() {
  if (is_sparse() && !std::holds_alternative<SparseMatrix>(storage_)) {
    SparseMatrix copy = std::as_const(*this).sparse();
    storage_ = std::move(copy);
  }
  return std::get<SparseMatrix>(storage_);
}

SparseColumns Matrix::columns() const {
  if (const Borrowed* borrowed = std::get_if<Borrowed>(&storage_)) return borrowed->columns;
  if (!is_sparse()) throw std::bad_variant_access();
  const SparseMatrix& a = *stored_sparse();
  return {static_cast<int>(a.rows()), static_cast<int>(a.cols()), a.outerIndexPtr(),
          a.innerIndexPtr(), a.valuePtr()};
}

int Matrix::rows() const { return is_sparse() ? columns().rows : static_cast<int>(dense().rows()); }

int Matrix::cols() const { return is_sparse() ? columns().cols : static_cast<int>(dense().cols()); }

long Matrix::stored() const { return is_sparse() ? columns().entries() : dense().size(); }

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
  if (!is_sparse()) return dense()(row, col);
  const SparseColumns a = columns();
  const int* const end = a.row + a.start[col + 1];
  const int* const at = std::lower_bound(a.row + a.start[col], end, row);
  return at != end && *at == row ? a.value[at - a.row] : 0.0;
}

bool Matrix::all_finite() const {
  if (!is_sparse()) return dense().allFinite();
  if (is_shared()) return std::get<Shared>(storage_)->finite;
  const SparseColumns a = columns();
  return Eigen::Map<const Vector>(a.value, a.entries()).allFinite();
}

double Matrix::max_abs() const {
  if (stored() == 0) return 0.0;
  if (!is_sparse()) return dense().cwiseAbs().maxCoeff();
  const SparseColumns a = columns();
  return Eigen::Map<const Vector>(a.value, a.entries()).cwiseAbs().maxCoeff();
}

namespace {

// Whether near(i, j, a_ij, a_ji) holds for all stored entries.
template <class Near>
bool is_mirrored(const Matrix& m, const Near& near) {
  if (m.rows() != m.cols()) return false;
  if (!m.is_sparse()) {
    const DenseMatrix& a = m.dense();
    for (int j = 0; j < a.cols(); ++j) {
      for (int i = 0; i < j; ++i) {
        if (!near(i, j, a(i, j), a(j, i))) return false;
      }
    }
    return true;
  }
  const SparseColumns a = m.columns();
  for (int j = 0; j < a.cols; ++j) {
    for (int k = a.start[j]; k < a.start[j + 1]; ++k) {
      if (!near(a.row[k], j, a.value[k], m.coefficient(j, a.row[k]))) return false;
    }
  }
  return true;
}

}  // namespace

bool Matrix::is_symmetric(double tolerance) const {
  const double bound = tolerance * max_abs();
  return is_mirrored(*this,
                     [&](int, int, double a, double b) { return !(std::abs(a - b) > bound); });
}

bool Matrix::is_symmetric_by_entry(double tolerance) const {
  Vector roots;
  return is_mirrored(*this, [&](int i, int j, double a, double b) {
    const double difference = std::abs(a - b);
    if (!(difference > tolerance * std::max(std::abs(a), std::abs(b)))) return true;
    if (roots.size() == 0) {
      roots.resize(rows());
      for (int k = 0; k < rows(); ++k) roots[k] = std::sqrt(std::abs(coefficient(k, k)));
    }
    return !(difference > tolerance * roots[i] * roots[j]);
  });
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
