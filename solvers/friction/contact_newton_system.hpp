// The linear systems of a semismooth Newton method for friction.
#pragma once

#include <perp/solvers/friction/contact_map.hpp>
#include <perp/solvers/friction/contact_problem.hpp>
#include <perp/solvers/linear_algebra/dense_lu.hpp>
#include <perp/solvers/linear_algebra/sparse_lu.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perp {

/// Systems with J = A + B (W + alpha I), A and B of one 3 x 3 block a contact (ContactRows).
///
/// Newton: (A + B (W + (alpha + eps) I)) d = -phi by LU. Open contacts give d = -r at once; the
/// rows of the others form the kernel, the only part that is factorised: dense, or by KLU where
/// that foresees far fewer operations.
///
/// Least squares: min ||J d + phi||^2 + damping ||d||^2 (Levenberg-Marquardt) on the kernel, by the
/// normal equations, dense; only where the kernel is small enough.
/// Only the sparse factorisation allocates when all is done again.
class ContactNewtonSystem {
 public:
  /// Keeps a reference. Analyses nothing anew if the problem has kept its pattern.
  /// @param algebra "auto", "dense" or "sparse"
  void attach(const ContactProblem& problem, std::string_view algebra);

  /// @return false where the kernel is singular to rounding.
  bool factor(const std::vector<ContactRows>& rows, double shift);
  /// d := solution of the last factorisation for the right-hand side -phi of other rows.
  void solve(const std::vector<ContactRows>& rows, Vector& d);

  bool takes_least_squares() const;
  bool factor_least_squares(const std::vector<ContactRows>& rows, double alpha, double damping);
  void solve_least_squares(const std::vector<ContactRows>& rows, Vector& d);

  int kernel_size() const { return width_ * static_cast<int>(kernel_.size()); }
  bool is_sparse() const { return sparse_; }
  int factorisations = 0, linear_solves = 0;

 private:
  void choose_kernel(const std::vector<ContactRows>& rows);
  void find_columns();
  void fill_dense(const std::vector<ContactRows>& rows, double shift, double* matrix) const;
  void fill_sparse(const std::vector<ContactRows>& rows, double shift);
  void right_side(const std::vector<ContactRows>& rows, Vector& d);
  void product(const ContactRows& rows, const double* w, double shift, bool diagonal,
               double* out) const;

  const ContactProblem* problem_ = nullptr;
  int width_ = 3;        // unknowns a contact: the dimension
  std::string algebra_;  // of the last attach()
  bool sparse_ = false;
  std::vector<int> kernel_, position_;
  std::vector<int> column_starts_, column_blocks_, column_rows_;  // the blocks by columns
  std::vector<double> right_side_;
  DenseLu dense_lu_;
  SparseLu sparse_lu_;
  DenseMatrix jacobian_, normal_;
};

}  // namespace perp
