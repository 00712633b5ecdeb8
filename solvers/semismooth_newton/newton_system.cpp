#include <perp/solvers/semismooth_newton/newton_system.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

namespace {

constexpr double kPivotTolerance = 0.1;  // sparse: a diagonal entry this close to the largest stays
constexpr int kBlock = 64;               // products of blocks this size need no heap

}  // namespace

void NewtonSystem::attach(const ScaledProblem& problem) {
  problem_ = &problem;
  const int n = problem.size();
  for (Vector* v : {&a_, &b_, &work_, &product_}) v->setZero(n);
  kernel_.reserve(n);
  position_.assign(n, -1);
  right_side_.assign(problem.is_sparse() ? 2 * n : n, 0.0);
  if (problem.is_sparse()) {
    sparse_lu_.set_pivot_tolerance(kPivotTolerance);
    augmented_lu_.set_pivot_tolerance(kPivotTolerance);
  } else {
    dense_lu_.reserve(n);
    jacobian_.resize(n, n);
    normal_.resize(n, n);
  }
}

bool NewtonSystem::factor(const Vector& a, const Vector& b, double eps) {
  a_ = a;
  b_ = b;
  kernel_.clear();
  for (int i = 0; i < problem_->size(); ++i) {
    position_[i] = b_[i] > 0 ? static_cast<int>(kernel_.size()) : -1;
    if (b_[i] > 0) kernel_.push_back(i);
  }
  ++factorisations;
  if (problem_->is_sparse()) {
    fill_sparse_kernel(eps);
    return sparse_lu_.factor();
  }
  fill_dense_kernel(eps);
  return dense_lu_.factor();
}

void NewtonSystem::fill_dense_kernel(double eps) {
  const DenseMatrix& m = problem_->dense();
  const int k = kernel_size();
  double* column = dense_lu_.matrix(k);
  for (int j = 0; j < k; ++j, column += k) {
    const double* const from = m.data() + static_cast<std::size_t>(kernel_[j]) * m.rows();
    for (int i = 0; i < k; ++i) column[i] = b_[kernel_[i]] * from[kernel_[i]];
    column[j] += a_[kernel_[j]] + b_[kernel_[j]] * eps;
  }
}

void NewtonSystem::fill_sparse_kernel(double eps) {
  const SparseMatrix& m = problem_->sparse();
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

// Rows outside the kernel first, then the kernel with what they contribute.
void NewtonSystem::solve(const Vector& r, Vector& d) {
  const int n = problem_->size(), k = kernel_size();
  bool outside = false;
  for (int i = 0; i < n; ++i) {
    d[i] = position_[i] < 0 ? r[i] / a_[i] : 0.0;
    outside = outside || d[i] != 0.0;
  }
  if (outside) problem_->multiply(d, product_);
  for (int p = 0; p < k; ++p) {
    const int i = kernel_[p];
    right_side_[p] = outside ? r[i] - b_[i] * product_[i] : r[i];
  }
  if (problem_->is_sparse()) {
    sparse_lu_.solve(right_side_.data());
  } else {
    dense_lu_.solve(right_side_.data());
  }
  for (int p = 0; p < k; ++p) d[kernel_[p]] = right_side_[p];
  ++linear_solves;
}

bool NewtonSystem::factor_least_squares(const Vector& a, const Vector& b, double mu) {
  a_ = a;
  b_ = b;
  ++factorisations;
  if (problem_->is_sparse()) {
    fill_augmented_system(mu);
    return augmented_lu_.factor();
  }
  fill_normal_equations(mu);
  return dense_lu_.factor();
}

// J'J + mu I in blocks: the lower triangle is computed, the upper one copied.
void NewtonSystem::fill_normal_equations(double mu) {
  const int n = problem_->size();
  jacobian_.noalias() = b_.asDiagonal() * problem_->dense();
  jacobian_.diagonal() += a_;
  normal_.setZero();
  for (int j = 0; j < n; j += kBlock) {
    const int columns = std::min(kBlock, n - j);
    for (int i = j; i < n; i += kBlock) {
      const int rows = std::min(kBlock, n - i);
      for (int k = 0; k < n; k += kBlock) {
        const int depth = std::min(kBlock, n - k);
        normal_.block(i, j, rows, columns).noalias() +=
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

// Columns (e_j, J'e_j) and then (J e_j, -mu e_j); the first half needs M by rows.
void NewtonSystem::fill_augmented_system(double mu) {
  const int n = problem_->size();
  const SparseMatrix& m = problem_->sparse();
  const SparseMatrix transposed = m.transpose();
  augmented_lu_.begin(2 * n);
  for (int j = 0; j < n; ++j) {
    augmented_lu_.append(j, 1.0);
    for (SparseMatrix::InnerIterator it(transposed, j); it; ++it) {
      const int i = static_cast<int>(it.row());
      augmented_lu_.append(n + i, b_[j] * it.value() + (i == j ? a_[j] : 0.0));
    }
    augmented_lu_.end_column();
  }
  for (int j = 0; j < n; ++j) {
    for (SparseMatrix::InnerIterator it(m, j); it; ++it) {
      const int i = static_cast<int>(it.row());
      augmented_lu_.append(i, b_[i] * it.value() + (i == j ? a_[i] : 0.0));
    }
    augmented_lu_.append(n + j, -mu);
    augmented_lu_.end_column();
  }
}

void NewtonSystem::solve_least_squares(const Vector& r, Vector& d) {
  const int n = problem_->size();
  ++linear_solves;
  if (problem_->is_sparse()) {
    std::copy(r.begin(), r.end(), right_side_.begin());
    std::fill(right_side_.begin() + n, right_side_.end(), 0.0);
    augmented_lu_.solve(right_side_.data());
    std::copy(right_side_.begin() + n, right_side_.end(), d.begin());
  } else {
    multiply_transposed(a_, b_, r, d);
    dense_lu_.solve(d.data());
  }
}

void NewtonSystem::multiply_transposed(const Vector& a, const Vector& b, const Vector& x,
                                       Vector& y) {
  work_ = b.cwiseProduct(x);
  problem_->multiply_transposed(work_, y);
  y += a.cwiseProduct(x);
}

}  // namespace perp
