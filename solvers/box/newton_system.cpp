#include <perp/solvers/box/newton_system.hpp>

#include <algorithm>
#include <cmath>
#include <perp/solvers/newton/system_sizes.hpp>

namespace perp {

void NewtonSystem::attach(const NewtonMatrix& matrix) {
  matrix_ = &matrix;
  const int n = matrix.size();
  for (Vector* v : {&a_, &b_, &work_, &product_}) v->setZero(n);
  kernel_.reserve(n);
  position_.assign(n, -1);
  right_side_.assign(2 * static_cast<std::size_t>(n), 0.0);
  transposed_.resize(0, 0);
  if (matrix.has_sparse_systems()) {
    sparse_lu_.set_pivot_tolerance(kPivotTolerance);
    augmented_lu_.set_pivot_tolerance(kPivotTolerance);
  } else {
    dense_lu_.reserve(n);
  }
  if (n <= kDenseLeastSquares) {
    jacobian_.resize(n, n);
    normal_.resize(n, n);
  }
}

void NewtonSystem::choose_kernel(const Vector& a, const Vector& b) {
  a_ = a;
  b_ = b;
  kernel_.clear();
  for (int i = 0; i < matrix_->size(); ++i) {
    position_[i] = b_[i] > 0 ? static_cast<int>(kernel_.size()) : -1;
    if (b_[i] > 0) kernel_.push_back(i);
  }
}

bool NewtonSystem::factor(const Vector& a, const Vector& b, double eps) {
  choose_kernel(a, b);
  ++factorisations;
  if (matrix_->has_sparse_systems()) {
    fill_sparse_kernel(eps);
    return sparse_lu_.factor();
  }
  fill_dense_kernel(eps);
  return dense_lu_.factor();
}

void NewtonSystem::fill_dense_kernel(double eps) {
  const DenseMatrix& m = matrix_->dense();
  const int k = kernel_size();
  double* column = dense_lu_.matrix(k);
  for (int j = 0; j < k; ++j, column += k) {
    const double* const from = m.data() + static_cast<std::size_t>(kernel_[j]) * m.rows();
    for (int i = 0; i < k; ++i) column[i] = b_[kernel_[i]] * from[kernel_[i]];
    column[j] += a_[kernel_[j]] + b_[kernel_[j]] * eps;
  }
}

void NewtonSystem::fill_sparse_kernel(double eps) {
  const SparseMatrix& m = matrix_->sparse();
  sparse_lu_.begin(kernel_size());
  for (const int j : kernel_) {
    for (SparseMatrix::InnerIterator it(m, j); it; ++it) {
      const int i = static_cast<int>(it.row());
      if (position_[i] < 0) continue;
      sparse_lu_.append(position_[i], b_[i] * it.value() + (i == j ? a_[i] + b_[i] * eps : 0.0));
    }
    sparse_lu_.end_column();
  }
}

// Sets d_i = r_i / a_i outside the kernel, and the right-hand side of the kernel without the
// contributions of these d_i.
void NewtonSystem::solve_outside_kernel(const Vector& r, Vector& d) {
  bool outside = false;
  for (int i = 0; i < matrix_->size(); ++i) {
    d[i] = position_[i] < 0 ? r[i] / a_[i] : 0.0;
    outside = outside || d[i] != 0.0;
  }
  if (outside) matrix_->multiply(d, product_);
  for (int p = 0; p < kernel_size(); ++p) {
    const int i = kernel_[p];
    right_side_[p] = outside ? r[i] - b_[i] * product_[i] : r[i];
  }
}

void NewtonSystem::solve(const Vector& r, Vector& d) {
  solve_outside_kernel(r, d);
  if (matrix_->has_sparse_systems()) {
    sparse_lu_.solve(right_side_.data());
  } else {
    dense_lu_.solve(right_side_.data());
  }
  for (int p = 0; p < kernel_size(); ++p) d[kernel_[p]] = right_side_[p];
  ++linear_solves;
}

bool NewtonSystem::factor_least_squares(const Vector& a, const Vector& b, double mu) {
  choose_kernel(a, b);
  ++factorisations;
  normal_equations_ = !matrix_->has_sparse_systems() || kernel_size() <= kDenseLeastSquares;
  if (!normal_equations_) {
    fill_augmented_system(mu);
    return augmented_lu_.factor();
  }
  fill_normal_equations(mu);
  return dense_lu_.factor();
}

// J'J + mu I of the kernel, block by block: the lower triangle is computed, the upper one copied.
void NewtonSystem::fill_normal_equations(double mu) {
  const int n = kernel_size();
  if (jacobian_.rows() < n) {
    jacobian_.resize(n, n);
    normal_.resize(n, n);
  }
  fill_kernel_jacobian();
  for (int j = 0; j < n; j += kHeaplessBlock) {
    const int columns = std::min(kHeaplessBlock, n - j);
    for (int i = j; i < n; i += kHeaplessBlock) {
      const int rows = std::min(kHeaplessBlock, n - i);
      auto block = normal_.block(i, j, rows, columns);
      block.setZero();
      for (int k = 0; k < n; k += kHeaplessBlock) {
        const int depth = std::min(kHeaplessBlock, n - k);
        block.noalias() +=
            jacobian_.block(k, i, depth, rows).transpose() * jacobian_.block(k, j, depth, columns);
      }
    }
  }
  double* const matrix = dense_lu_.matrix(n);
  for (int j = 0; j < n; ++j) {
    for (int i = j; i < n; ++i) {
      const double value = normal_(i, j) + (i == j ? mu : 0.0);
      matrix[static_cast<std::size_t>(j) * n + i] = value;
      matrix[static_cast<std::size_t>(i) * n + j] = value;
    }
  }
}

void NewtonSystem::fill_kernel_jacobian() {
  const int n = kernel_size();
  for (int c = 0; c < n; ++c) {
    const int j = kernel_[c];
    if (matrix_->has_sparse()) {
      jacobian_.col(c).head(n).setZero();
      for (SparseMatrix::InnerIterator it(matrix_->sparse(), j); it; ++it) {
        const int i = static_cast<int>(it.row());
        if (position_[i] >= 0) jacobian_(position_[i], c) = b_[i] * it.value();
      }
    } else {
      for (int r = 0; r < n; ++r) {
        jacobian_(r, c) = b_[kernel_[r]] * matrix_->dense()(kernel_[r], j);
      }
    }
    jacobian_(c, c) += a_[j];
  }
}

// The pattern is built once; the values are copied every time, since the Jacobian may be a new one.
void NewtonSystem::transpose_sparse() {
  const SparseMatrix& m = matrix_->sparse();
  if (transposed_.cols() != m.cols()) transposed_ = m.transpose();
  next_.assign(transposed_.outerIndexPtr(), transposed_.outerIndexPtr() + m.cols());
  for (int j = 0; j < m.cols(); ++j) {
    for (SparseMatrix::InnerIterator it(m, j); it; ++it) {
      transposed_.valuePtr()[next_[it.row()]++] = it.value();
    }
  }
}

// Columns (e_j, J'e_j) and then (J e_j, -mu e_j); the first half needs M by rows.
void NewtonSystem::fill_augmented_system(double mu) {
  const int k = kernel_size();
  const SparseMatrix& m = matrix_->sparse();
  transpose_sparse();
  augmented_lu_.begin(2 * k);
  for (int c = 0; c < k; ++c) {
    const int j = kernel_[c];
    augmented_lu_.append(c, 1.0);
    for (SparseMatrix::InnerIterator it(transposed_, j); it; ++it) {
      const int i = static_cast<int>(it.row());
      if (position_[i] < 0) continue;
      augmented_lu_.append(k + position_[i], b_[j] * it.value() + (i == j ? a_[j] : 0.0));
    }
    augmented_lu_.end_column();
  }
  for (int c = 0; c < k; ++c) {
    const int j = kernel_[c];
    for (SparseMatrix::InnerIterator it(m, j); it; ++it) {
      const int i = static_cast<int>(it.row());
      if (position_[i] < 0) continue;
      augmented_lu_.append(position_[i], b_[i] * it.value() + (i == j ? a_[i] : 0.0));
    }
    augmented_lu_.append(k + c, -mu);
    augmented_lu_.end_column();
  }
}

void NewtonSystem::solve_least_squares(const Vector& r, Vector& d) {
  solve_outside_kernel(r, d);
  const int k = kernel_size();
  ++linear_solves;
  if (normal_equations_) {
    Eigen::Map<Vector> side(right_side_.data(), k), result(right_side_.data() + k, k);
    result.noalias() = jacobian_.topLeftCorner(k, k).transpose() * side;
    dense_lu_.solve(result.data());
  } else {
    std::fill(right_side_.begin() + k, right_side_.begin() + 2 * k, 0.0);
    augmented_lu_.solve(right_side_.data());
  }
  for (int c = 0; c < k; ++c) d[kernel_[c]] = right_side_[k + c];
}

void NewtonSystem::multiply_transposed(const Vector& a, const Vector& b, const Vector& x,
                                       Vector& y) {
  work_ = b.cwiseProduct(x);
  matrix_->multiply_transposed(work_, y);
  y += a.cwiseProduct(x);
}

}  // namespace perp
