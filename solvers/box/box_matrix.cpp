#include <perp/solvers/box/box_matrix.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

namespace {

constexpr double kSparseProducts = 0.25;  // share of entries up to which products are sparse

bool has_few_entries(double stored, int n) { return stored < kSparseProducts * n * n; }

// The matrix with all diagonal entries stored, also those that are zero.
SparseMatrix with_diagonal(const SparseMatrix& m) {
  SparseMatrix diagonal(m.rows(), m.cols());
  diagonal.setIdentity();
  SparseMatrix result = m + 0.0 * diagonal;
  result.makeCompressed();
  return result;
}

}  // namespace

// A full matrix is stored sparse without its zeros, a sparse one with them.
bool BoxMatrix::stores_alike(const Matrix& m, bool sparse_systems) const {
  const bool sparse =
      sparse_systems || has_few_entries(static_cast<double>(m.nonzeros()), m.rows());
  return sparse_systems == sparse_systems_ && sparse == sparse_ && (!sparse || m.is_sparse());
}

void BoxMatrix::choose(double stored, int n, bool sparse_systems) {
  sparse_systems_ = sparse_systems;
  sparse_ = sparse_systems || has_few_entries(stored, n);
  dense_matrix_.resize(0, 0);
  sparse_matrix_.resize(0, 0);
  places_.clear();
  if (!sparse_systems) dense_matrix_.setZero(n, n);
}

void BoxMatrix::store(const Matrix& m, bool sparse_systems) {
  choose(static_cast<double>(m.nonzeros()), m.rows(), sparse_systems);
  if (sparse_) sparse_matrix_ = with_diagonal(m.to_sparse());
}

void BoxMatrix::store(const SparseMatrix& pattern, bool sparse_systems) {
  choose(static_cast<double>(pattern.nonZeros()), static_cast<int>(pattern.rows()), sparse_systems);
  if (!sparse_) return;
  sparse_matrix_ = with_diagonal(pattern);
  for (int j = 0; j < pattern.cols(); ++j) {
    int place = sparse_matrix_.outerIndexPtr()[j];
    for (SparseMatrix::InnerIterator it(pattern, j); it; ++it) {
      while (sparse_matrix_.innerIndexPtr()[place] < it.row()) ++place;
      places_.push_back(place);
    }
  }
}

bool BoxMatrix::set(const Matrix& m, const BoxScaling& scaling) {
  const auto scaled = [&](int i, int j, double value) {
    return scaling.row[i] * value * scaling.unknown[j];
  };
  if (!sparse_systems_) dense_matrix_.setZero();
  if (sparse_) sparse_matrix_.coeffs().setZero();
  bool fits = true;
  for (int j = 0; j < m.cols(); ++j) {
    int place = sparse_ ? sparse_matrix_.outerIndexPtr()[j] : 0;
    const int end = sparse_ ? sparse_matrix_.outerIndexPtr()[j + 1] : 0;
    m.for_column(j, [&](int i, double value) {
      if (!sparse_systems_) dense_matrix_(i, j) = scaled(i, j, value);
      if (!sparse_) return;
      while (place < end && sparse_matrix_.innerIndexPtr()[place] < i) ++place;
      fits = fits && place < end && sparse_matrix_.innerIndexPtr()[place] == i;
      if (fits) sparse_matrix_.valuePtr()[place] = scaled(i, j, value);
    });
  }
  return fits;
}

int BoxMatrix::set(const SparseMatrix& jacobian, const BoxScaling& scaling) {
  int undefined = -1;
  for (int j = 0; j < jacobian.cols(); ++j) {
    for (int k = jacobian.outerIndexPtr()[j]; k < jacobian.outerIndexPtr()[j + 1]; ++k) {
      const int i = jacobian.innerIndexPtr()[k];
      const double value = scaling.row[i] * jacobian.valuePtr()[k] * scaling.unknown[j];
      if (!std::isfinite(value) && (undefined < 0 || i < undefined)) undefined = i;
      if (sparse_) sparse_matrix_.valuePtr()[places_[static_cast<std::size_t>(k)]] = value;
      if (!sparse_systems_) dense_matrix_(i, j) = value;
    }
  }
  return undefined;
}

}  // namespace perp
