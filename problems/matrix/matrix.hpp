// A real matrix, dense or sparse, behind the few operations that residuals and solvers need.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <perp/problems/matrix/eigen_layout.hpp>
#include <variant>

namespace perp {

using Vector = Eigen::VectorXd;
using DenseMatrix = Eigen::MatrixXd;
using SparseMatrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;
using Triplet = Eigen::Triplet<double, int>;

/// Largest |v_i|; 0 where there is none.
inline double max_abs(const Vector& v) { return v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0; }

/// A dense or sparse (compressed columns) matrix of doubles.
///
/// Sparse matrices are kept compressed, with sorted rows and without repeated entries; explicit
/// zeros are kept, because a structure shared by a sequence of problems may need them.
class Matrix {
 public:
  Matrix() = default;
  Matrix(DenseMatrix dense) : storage_(std::move(dense)) {}  // NOLINT: conversion is the point
  Matrix(SparseMatrix sparse);                               // NOLINT

  /// rows x cols from coordinate triplets; repeated entries add.
  static Matrix from_triplets(int rows, int cols, const std::vector<Triplet>& triplets);

  int rows() const;
  int cols() const;
  bool is_sparse() const { return std::holds_alternative<SparseMatrix>(storage_); }
  /// Stored entries: rows*cols where dense.
  long stored() const;
  /// Entries that are not zero.
  long nonzeros() const;

  /// @throws std::bad_variant_access where the storage is the other one.
  const DenseMatrix& dense() const { return std::get<DenseMatrix>(storage_); }
  const SparseMatrix& sparse() const { return std::get<SparseMatrix>(storage_); }
  /// To change values; the sparse one must stay compressed and sorted.
  DenseMatrix& dense() { return std::get<DenseMatrix>(storage_); }
  SparseMatrix& sparse() { return std::get<SparseMatrix>(storage_); }
  DenseMatrix to_dense() const;
  SparseMatrix to_sparse() const;

  double coefficient(int row, int col) const;
  bool all_finite() const;
  double max_abs() const;
  /// True where |a_ij - a_ji| <= tolerance * max|a|, elementwise.
  bool is_symmetric(double tolerance = 0.0) const;

  /// y = A x, accumulated in extended precision (80-bit on x86) and rounded once per row.
  Vector multiply(const Vector& x) const;
  /// y = A' x, likewise.
  Vector multiply_transposed(const Vector& x) const;
  /// |A| |x| in plain double: the size of what is summed, for rounding floors.
  Vector multiply_abs(const Vector& x) const;

  /// Calls f(row, value) for every stored entry of a column that is not zero.
  template <class F>
  void for_column(int col, F&& f) const {
    if (const auto* sparse = std::get_if<SparseMatrix>(&storage_)) {
      for (SparseMatrix::InnerIterator it(*sparse, col); it; ++it) {
        if (it.value() != 0.0) f(static_cast<int>(it.row()), it.value());
      }
    } else {
      const DenseMatrix& a = std::get<DenseMatrix>(storage_);
      for (int row = 0; row < a.rows(); ++row) {
        if (a(row, col) != 0.0) f(row, a(row, col));
      }
    }
  }

 private:
  std::variant<DenseMatrix, SparseMatrix> storage_;
};

}  // namespace perp
