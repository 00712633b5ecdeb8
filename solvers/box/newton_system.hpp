// The linear systems of a semismooth Newton method.
#pragma once

#include <perp/solvers/box/newton_matrix.hpp>
#include <perp/solvers/linear_algebra/dense_lu.hpp>
#include <perp/solvers/linear_algebra/general_lu.hpp>
#include <vector>

namespace perp {

/// Systems with J = diag(a) + diag(b) M, a >= 0, b >= 0; M as it stands when a matrix is
/// factorised.
///
/// Proximal: (diag(a) + diag(b) (M + eps I)) d = r by LU. Rows with b_i = 0 give d_i = r_i / a_i at
/// once; the others form the kernel, the only part that is factorised. With a and b of zeros and
/// ones the kernel is M_alpha,alpha of an active set.
///
/// Least squares: min ||J d - r||^2 + mu ||d||^2 (Levenberg-Marquardt) on the kernel, by the normal
/// equations, where it is large by the augmented system [I J; J' -mu I]
/// [GolubVanLoan2013, Sec. 5.3, 6.1]. Only sparse factorisations allocate when all is done again.
class NewtonSystem {
 public:
  /// Keeps a reference; the values of the matrix may change between factorisations.
  void attach(const NewtonMatrix& matrix);

  /// @return false if the kernel is singular to rounding.
  bool factor(const Vector& a, const Vector& b, double eps);
  void solve(const Vector& r, Vector& d);

  bool factor_least_squares(const Vector& a, const Vector& b, double mu);
  void solve_least_squares(const Vector& r, Vector& d);

  /// y := J' x for any a and b.
  void multiply_transposed(const Vector& a, const Vector& b, const Vector& x, Vector& y);

  int kernel_size() const { return static_cast<int>(kernel_.size()); }
  int factorisations = 0, linear_solves = 0;

 private:
  void choose_kernel(const Vector& a, const Vector& b);
  void solve_outside_kernel(const Vector& r, Vector& d);
  void fill_dense_kernel(double eps);
  void fill_sparse_kernel(double eps);
  void fill_normal_equations(double mu);
  void fill_kernel_jacobian();
  void transpose_sparse();
  void fill_augmented_system(double mu);

  const NewtonMatrix* matrix_ = nullptr;
  Vector a_, b_;
  std::vector<int> kernel_, position_;  // rows with b_i > 0, and where each stands (or -1)
  Vector work_, product_;
  SparseMatrix transposed_;  // of M, for the augmented system
  std::vector<int> next_;    // of its columns, while they are filled
  std::vector<double> right_side_;
  DenseLu dense_lu_;
  bool normal_equations_ = false;
  DenseMatrix jacobian_, normal_;  // their matrices, kernel by kernel in the top left corner
  GeneralLu sparse_lu_, augmented_lu_;
};

}  // namespace perp
