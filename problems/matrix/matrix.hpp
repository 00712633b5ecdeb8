// A real matrix, dense or sparse, behind the few operations that residuals and solvers need.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <memory>
#include <perp/problems/matrix/eigen_layout.hpp>
#include <variant>
#include <vector>

namespace perp {

/// A column of doubles.
using Vector = Eigen::VectorXd;
/// A dense matrix of doubles.
using DenseMatrix = Eigen::MatrixXd;
/// A sparse matrix of doubles in compressed columns.
using SparseMatrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;
/// Row, column and value of an entry.
using Triplet = Eigen::Triplet<double, int>;

/// Largest |v_i|; 0 if v is empty.
inline double max_abs(const Vector& v) { return v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0; }

/// Compressed columns in memory that is not ours: column j has the entries start[j] to
/// start[j + 1] - 1 of `row` and `value`, and start[0] is 0.
struct SparseColumns {
  int rows = 0, cols = 0;
  const int* start = nullptr;     ///< cols + 1 places
  const int* row = nullptr;       ///< ascending within a column, each once
  const double* value = nullptr;  ///< as many as `row`

  /// Number of stored entries.
  long entries() const { return start ? start[cols] : 0; }
};

/// A dense or sparse (compressed columns) matrix of doubles.
///
/// Sparse matrices are kept compressed, with sorted rows and without repeated entries; explicit
/// zeros are kept, because a structure shared by a sequence of problems may need them.
class Matrix {
 public:
  Matrix() = default;
  /// A dense matrix.
  Matrix(DenseMatrix dense) : storage_(std::move(dense)) {}  // NOLINT: conversion is the point
  /// A sparse matrix, which is compressed if it is not.
  Matrix(SparseMatrix sparse);  // NOLINT

  /// A sparse matrix whose arrays stay in place: nothing is copied until somebody asks for
  /// sparse(). Verification reads the columns as they are; most solvers ask.
  /// @param owner keeps the arrays alive; they must not change while the matrix is in use
  /// @throws std::invalid_argument if the columns are not compressed columns with sorted rows
  static Matrix borrow(const SparseColumns& columns, std::shared_ptr<const void> owner);

  /// A sparse matrix, compressed if it is not, that copies of this object share: to copy it costs
  /// nothing, whatever its size. Who asks for sparse() to change it gets a matrix of their own.
  static Matrix share(SparseMatrix sparse);
  /// Whether it is shared, by itself or with others.
  bool is_shared() const { return std::holds_alternative<Shared>(storage_); }
  /// Whether both have one matrix of share() between them, which says without a look at the
  /// entries that they are equal.
  bool shares(const Matrix& other) const;

  /// rows x cols from coordinate triplets; repeated entries add.
  static Matrix from_triplets(int rows, int cols, const std::vector<Triplet>& triplets);

  /// Number of rows.
  int rows() const;
  /// Number of columns.
  int cols() const;
  /// Whether it is stored as a sparse matrix.
  bool is_sparse() const { return !std::holds_alternative<DenseMatrix>(storage_); }
  /// Whether its arrays belong to somebody else.
  bool is_borrowed() const { return std::holds_alternative<Borrowed>(storage_); }
  /// Stored entries: rows*cols if dense.
  long stored() const;
  /// Entries that are not zero.
  long nonzeros() const;

  /// A borrowed matrix is copied by the first call of sparse(), which any thread may make.
  /// @throws std::bad_variant_access if the storage is the other one.
  const DenseMatrix& dense() const { return std::get<DenseMatrix>(storage_); }
  /// @overload
  const SparseMatrix& sparse() const;
  /// To change values; the sparse one must stay compressed and sorted. A borrowed or shared one
  /// becomes a matrix of our own.
  DenseMatrix& dense() { return std::get<DenseMatrix>(storage_); }
  /// @overload
  SparseMatrix& sparse();
  /// The arrays of a sparse matrix, never copied; they live as long as the matrix is not changed.
  /// @throws std::bad_variant_access if it is dense
  SparseColumns columns() const;
  /// A dense copy.
  DenseMatrix to_dense() const;
  /// A sparse copy.
  SparseMatrix to_sparse() const;

  /// The entry of a row and a column; 0 if it is not stored.
  double coefficient(int row, int col) const;
  /// Whether no entry is infinite or NaN.
  bool all_finite() const;
  /// The largest absolute value of an entry.
  double max_abs() const;
  /// True if |a_ij - a_ji| <= tolerance * max|a|, elementwise.
  bool is_symmetric(double tolerance = 0.0) const;
  /// True if |a_ij - a_ji| <= tolerance * max(|a_ij|, |a_ji|, sqrt(|a_ii a_jj|)), elementwise: as
  /// near as the rounding of products such as J M^-1 J' leaves it, whatever the units of rows are.
  bool is_symmetric_by_entry(double tolerance) const;

  /// y = A x, accumulated in extended precision (80-bit on x86) and rounded once per row.
  Vector multiply(const Vector& x) const;
  /// y = A' x, likewise.
  Vector multiply_transposed(const Vector& x) const;
  /// |A| |x| in plain double: the size of what is summed, for rounding floors.
  Vector multiply_abs(const Vector& x) const;

  /// Calls f(row, value) for every stored entry of a column that is not zero.
  template <class F>
  void for_column(int col, F&& f) const {
    if (const SparseMatrix* sparse = stored_sparse()) {
      for (SparseMatrix::InnerIterator it(*sparse, col); it; ++it) {
        if (it.value() != 0.0) f(static_cast<int>(it.row()), it.value());
      }
    } else if (const auto* dense = std::get_if<DenseMatrix>(&storage_)) {
      for (int row = 0; row < dense->rows(); ++row) {
        if ((*dense)(row, col) != 0.0) f(row, (*dense)(row, col));
      }
    } else {
      const SparseColumns& a = std::get<Borrowed>(storage_).columns;
      for (int k = a.start[col]; k < a.start[col + 1]; ++k) {
        if (a.value[k] != 0.0) f(a.row[k], a.value[k]);
      }
    }
  }

 private:
  struct Copy;  // of borrowed arrays, made when it is needed
  struct Borrowed {
    SparseColumns columns;
    std::shared_ptr<const void> owner;
    std::shared_ptr<Copy> copy;
  };

  struct Kept {
    SparseMatrix matrix;
    bool finite;  // all entries are
  };
  using Shared = std::shared_ptr<const Kept>;

  /// The sparse matrix that is stored, our own or shared; nullptr if there is none.
  const SparseMatrix* stored_sparse() const {
    if (const auto* own = std::get_if<SparseMatrix>(&storage_)) return own;
    const auto* shared = std::get_if<Shared>(&storage_);
    return shared ? &(*shared)->matrix : nullptr;
  }

  std::variant<DenseMatrix, SparseMatrix, Borrowed, Shared> storage_;
};

}  // namespace perp
