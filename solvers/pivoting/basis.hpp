// The basis of a complementary pivoting method, as a factorisation with updates.
#pragma once

#include <perp/solvers/linear_algebra/dense_lu.hpp>
#include <perp/solvers/linear_algebra/sparse_lu.hpp>
#include <perp/solvers/pivoting/canonical_problem.hpp>
#include <perp/solvers/pivoting/product_form.hpp>
#include <vector>

namespace perp {

/// A nonsingular choice of m of the 2m + 1 columns of  M x - w + d t = b.
///
/// Basic slacks w_i are unit columns, so only the *kernel* is factorised: the rows without a basic
/// slack and the basic columns that are no slacks (x's and t). Later exchanges are stored as a
/// product form. The position of a basic column is its place in the basis.
///
/// Invariant: after factor() returned true, B = B0 E1 ... Ep with B0 the columns that were basic
/// then and E1 ... Ep the exchanges since. Slack w_i of B0 is at position i as long as it has not
/// left.
///
/// Column ids: x_j is j, w_j is m + j, t is 2m.
class Basis {
 public:
  /// Keeps a reference to the problem; allocates all workspaces.
  void attach(const CanonicalProblem& problem);
  /// Sets column d of the covering variable, one value per row.
  void set_covering(const Vector& d) { covering_ = d; }

  int size() const { return size_; }
  int x_id(int j) const { return j; }
  int w_id(int j) const { return size_ + j; }
  int t_id() const { return 2 * size_; }
  int pair_of(int id) const { return id == t_id() ? -1 : id % size_; }
  bool is_slack(int id) const { return id >= size_ && id != t_id(); }
  int head(int position) const { return head_[position]; }
  /// Position of slack w_i as long as it has not left since the last factorisation.
  int slack_position(int i) const { return i; }
  int kernel_size() const { return static_cast<int>(kernel_rows_.size()); }

  /// Chooses the basic columns, ids by position; a slack w_i must be at position i. Call factor()
  /// next.
  void set_head(const std::vector<int>& head) { head_ = head; }
  /// Chooses x_i for the pairs with status kBasic, and w_i for the others. Call factor() next.
  void set_head(const std::vector<PairStatus>& statuses);
  /// Factorises again. Slacks move to their positions; other columns may change position.
  /// @return false if the kernel is singular to rounding.
  bool factor();
  /// a := B^-1 a (from rows to positions), and y := B^-T y (from positions to rows).
  void solve(Vector& a) const;
  void solve_transposed(Vector& y) const;
  /// out := column of an id, one value per row.
  void column(int id, Vector& out) const;
  /// out += alpha * column of an id.
  void add_column(int id, double alpha, Vector& out) const;
  /// Inner product of y, one value per row, with a column.
  double dot_column(int id, const Vector& y) const;
  /// r -= B x.
  void subtract_product(const Vector& x, Vector& r) const;
  /// Replaces the column at a position. @param direction B^-1 a_entering
  void replace(int position, int entering, const Vector& direction);

  int updates() const { return exchanges_.count(); }
  /// Whether the updates have cost as much as a new factorisation, or are too many.
  bool worth_factoring() const;

  int factorisations = 0;         ///< since attach
  mutable int linear_solves = 0;  ///< since attach

 private:
  bool factor_dense_kernel();
  bool factor_sparse_kernel();

  const CanonicalProblem* problem_ = nullptr;
  int size_ = 0;
  bool sparse_kernel_ = false;
  Vector covering_;
  std::vector<int> head_, new_head_;

  std::vector<int> kernel_rows_, kernel_columns_;  // of B0
  std::vector<int> kernel_index_;                  // place of each row in the kernel, or -1
  DenseLu dense_lu_;
  SparseLu sparse_lu_;
  mutable Vector kernel_work_;

  ProductForm exchanges_;
  double factor_cost_ = 0.0, update_cost_ = 0.0;  // floating-point operations, estimated
};

}  // namespace perp
