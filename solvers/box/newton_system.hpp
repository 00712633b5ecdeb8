// The linear systems of a semismooth Newton method.
#pragma once

#include <perp/solvers/box/newton_matrix.hpp>
#include <perp/solvers/linear_algebra/dense_lu.hpp>
#include <perp/solvers/linear_algebra/general_lu.hpp>
#include <vector>

namespace perp {

/// Systems with J = diag(a) + diag(b) M, a >= 0, b >= 0. The values of M are those at the time of
/// factorisation. All vectors have n values.
///
/// Proximal: (diag(a) + diag(b) (M + eps I)) d = r by LU. Rows with b_i = 0 give d_i = r_i / a_i at
/// once. The other rows form the kernel, the only part that is factorised. If all a_i and b_i are 0
/// or 1, the kernel is M_alpha,alpha of an active set.
///
/// Least squares: min ||J d - r||^2 + mu ||d||^2 (Levenberg-Marquardt) on the kernel, by the normal
/// equations; if the kernel is large and sparse, by the augmented system [I J; J' -mu I]
/// [GolubVanLoan2013, Sec. 5.3, 6.1]. In later systems only sparse factorisations allocate.
class NewtonSystem {
 public:
  /// Keeps a reference to the matrix; its values may change between factorisations.
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
  std::vector<int> kernel_, position_;  // rows with b_i > 0; position of every row there, or -1
  Vector work_, product_;
  SparseMatrix transposed_;  // of M, for the augmented system
  std::vector<int> next_;    // next free place of each of its columns, while they are filled
  std::vector<double> right_side_;
  DenseLu dense_lu_;
  bool normal_equations_ = false;
  DenseMatrix jacobian_, normal_;  // J and J'J + mu I of the kernel, in the top left corner
  GeneralLu sparse_lu_, augmented_lu_;
};

}  // namespace perp
