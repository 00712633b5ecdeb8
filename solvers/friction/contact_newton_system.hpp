// The linear systems of a semismooth Newton method for friction.
#pragma once

#include <perp/solvers/friction/contact_map.hpp>
#include <perp/solvers/friction/contact_problem.hpp>
#include <perp/solvers/linear_algebra/block_lu.hpp>
#include <perp/solvers/linear_algebra/dense_lu.hpp>
#include <perp/solvers/linear_algebra/general_lu.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perp {

/// Systems with J = A + B (W + alpha I), A and B of one 3 x 3 block a contact (ContactRows).
///
/// Newton: (A + B (W + (alpha + eps) I)) d = -phi by LU. Open contacts give d = -r at once; the
/// rows of the others form the kernel, the only part that is factorised: dense, or sparse if that
/// foresees far fewer operations. Sparse in space is BlockLu, whose blocks are the contacts, or
/// SupernodalLu if that takes many operations, and SparseLu for the systems that these do not solve
/// to rounding (`pivoted` counts them); sparse in the plane is SparseLu.
///
/// Least squares: min ||J d + phi||^2 + damping ||d||^2 (Levenberg-Marquardt) on the kernel, by the
/// normal equations, dense; only where the kernel is small enough.
/// Only the sparse factorisation allocates when all is done again.
class ContactNewtonSystem {
 public:
  /// Keeps a reference. Analyses nothing anew if the problem has kept its pattern.
  /// @param algebra "auto", "dense", "sparse" or "pivoted": SparseLu alone
  void attach(const ContactProblem& problem, std::string_view algebra);

  /// d := the Newton step, shift = alpha + eps.
  /// @return false if the kernel is singular to rounding
  bool solve(const std::vector<ContactRows>& rows, double shift, Vector& d);
  /// d := the least-squares step.
  /// @return false if the kernel is too large or singular to rounding
  bool solve_least_squares(const std::vector<ContactRows>& rows, double alpha, double damping,
                           Vector& d);

  int kernel_size() const { return width_ * static_cast<int>(kernel_.size()); }
  int factorisations = 0, linear_solves = 0, pivoted = 0;

 private:
  void choose_kernel(const std::vector<ContactRows>& rows);
  void find_columns();
  void fill_dense(const std::vector<ContactRows>& rows, double shift, double* matrix) const;
  void fill_blocks(const std::vector<ContactRows>& rows, double shift);
  void fill_sparse(const std::vector<ContactRows>& rows, double shift);
  bool solve_by_blocks(const std::vector<ContactRows>& rows, double shift);
  bool factor_least_squares(const std::vector<ContactRows>& rows, double alpha, double damping);
  void right_side(const std::vector<ContactRows>& rows, Vector& d);
  void take_kernel(const double* values, Vector& d) const;
  void product(const ContactRows& rows, const double* w, double shift, bool diagonal,
               double* out) const;

  const ContactProblem* problem_ = nullptr;
  int width_ = 3;                         // unknowns a contact: the dimension
  std::string algebra_;                   // of the last attach()
  bool sparse_ = false, blocks_ = false;  // of the sparse ones: BlockLu first
  bool supernodes_ = false;               // or dense blocks first
  std::vector<int> kernel_, position_;
  std::vector<int> column_starts_, column_blocks_, column_rows_;  // the blocks by columns
  std::vector<double> right_side_;
  DenseLu dense_lu_;
  BlockLu block_lu_;
  GeneralLu sparse_lu_;
  DenseMatrix jacobian_, normal_;
};

}  // namespace perp
