// The matrix of a Newton method, in the storage that its linear systems need.
#pragma once

#include <perp/problems/matrix/matrix.hpp>

namespace perp {

/// M or a Jacobian, n x n. Its systems are dense or sparse. A matrix with dense systems is also
/// kept as a sparse one if it has few entries; products then use that.
class NewtonMatrix {
 public:
  bool has_sparse_systems() const { return sparse_systems_; }
  bool has_sparse() const { return sparse_; }
  /// All diagonal entries of sparse() are stored, also those that are zero.
  const DenseMatrix& dense() const { return dense_matrix_; }
  const SparseMatrix& sparse() const { return sparse_matrix_; }
  int size() const {
    return static_cast<int>(sparse_ ? sparse_matrix_.rows() : dense_matrix_.rows());
  }

  double max_abs() const {
    if (!sparse_) return dense_matrix_.size() > 0 ? dense_matrix_.cwiseAbs().maxCoeff() : 0.0;
    return sparse_matrix_.nonZeros() > 0 ? sparse_matrix_.coeffs().abs().maxCoeff() : 0.0;
  }

  /// y := M x, and y := M' x.
  void multiply(const Vector& x, Vector& y) const {
    if (sparse_) {
      y.noalias() = sparse_matrix_ * x;
    } else {
      y.noalias() = dense_matrix_ * x;
    }
  }
  void multiply_transposed(const Vector& x, Vector& y) const {
    if (sparse_) {
      y.noalias() = sparse_matrix_.transpose() * x;
    } else {
      y.noalias() = dense_matrix_.transpose() * x;
    }
  }

 protected:
  bool sparse_systems_ = false, sparse_ = false;
  DenseMatrix dense_matrix_;
  SparseMatrix sparse_matrix_;
};

}  // namespace perp
