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

/// Systems with J = A + B (W + alpha I). A and B have one 3 x 3 block per contact (ContactRows).
///
/// Newton: (A + B (W + (alpha + eps) I)) d = -phi by LU. Open contacts give d = -r at once. The
/// rows of the other contacts form the kernel, the only part that is factorised: dense, or sparse
/// if that needs far fewer operations. Sparse systems in space are factorised by BlockLu with the
/// contacts as blocks, or by SupernodalLu if BlockLu would take many operations. If BlockLu does
/// not solve a system to rounding, GeneralLu does, and if SupernodalLu breaks down, SparseLu
/// (`pivoted` counts such systems). Sparse systems in the plane are factorised by GeneralLu.
///
/// Least squares: min ||J d + phi||^2 + damping ||d||^2 (Levenberg-Marquardt) on the kernel, by the
/// dense normal equations; only if the kernel is small enough.
/// In later systems only the sparse factorisation allocates.
class ContactNewtonSystem {
 public:
  /// Keeps a reference to the problem. Does not repeat the analysis if the problem has kept its
  /// pattern. @param algebra "auto", "dense", "sparse" or "pivoted" (only GeneralLu)
  void attach(const ContactProblem& problem, std::string_view algebra);

  /// d := the Newton step. @param shift alpha + eps
  /// @return false if the kernel is singular to rounding
  bool solve(const std::vector<ContactRows>& rows, double shift, Vector& d);
  /// After solve() without open contacts: x := J^-1 x by the factors, without refinement.
  void divide(Vector& x);
  /// d := the least-squares step.
  /// @return false if the kernel is too large or singular to rounding
  bool solve_least_squares(const std::vector<ContactRows>& rows, double alpha, double damping,
                           Vector& d);

  int kernel_size() const { return width_ * static_cast<int>(kernel_.size()); }
  int factorisations = 0, linear_solves = 0, pivoted = 0;

 private:
  /// The last factorisation of a sparse system.
  struct SparseFactors {
    bool supernodes = false;  ///< SupernodalLu was tried in place of BlockLu
    bool by_blocks = false;   ///< BlockLu succeeded
  };

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
  int width_ = 3;  // unknowns per contact: the dimension
  struct Attached {
    long pattern = -1;    // of the problem
    std::string algebra;  // empty: nothing is done
  } attached_;
  bool sparse_ = false, blocks_ = false;  // blocks_: sparse systems try BlockLu first
  SparseFactors factors_;
  std::vector<int> kernel_, position_;
  std::vector<int> column_starts_, column_blocks_, column_rows_;  // the blocks by columns
  std::vector<double> right_side_;
  DenseLu dense_lu_;
  BlockLu block_lu_;
  /// Work space of fill_blocks(): B of all contacts, padded; the blocks of one column, as products.
  struct BlockColumn {
    std::vector<double> padded;
    std::vector<int> rows;
    std::vector<const double*> left, right;
  } block_column_;
  GeneralLu sparse_lu_;
  struct LeastSquares {
    DenseMatrix jacobian, normal;
  } least_squares_;
};

}  // namespace perp
