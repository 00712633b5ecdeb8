// The basis of a complementary pivoting method, kept as a factorisation with updates.
#pragma once

#include <perp/solvers/linear_algebra/dense_lu.hpp>
#include <perp/solvers/linear_algebra/sparse_lu.hpp>
#include <perp/solvers/pivoting/canonical_problem.hpp>
#include <perp/solvers/pivoting/product_form.hpp>
#include <vector>

namespace perp {

/// A nonsingular choice of m of the 2m + 1 columns of  M x - w + d t = b.
///
/// Basic slacks w_i are unit columns, so only the *kernel* is factorised: rows without a basic
/// slack by basic columns that are no slacks (x's and t). Exchanges since then are a product form.
/// Position p of the basis is where a column stands.
///
/// Invariant: after factor() returned true, B = B0 E1 ... Ep with B0 the columns that were basic
/// then, E1 ... Ep the exchanges since; slack w_i of B0 stands at i, and nowhere else as long as it
/// has not left.
///
/// Column ids: x_j is j, w_j is m + j, t is 2m.
class Basis {
 public:
  /// Keeps a reference to the problem; allocates all workspaces.
  void attach(const CanonicalProblem& problem);
  /// Column d of the covering variable, row space.
  void set_covering(const Vector& d) { covering_ = d; }

  int size() const { return size_; }
  int x_id(int j) const { return j; }
  int w_id(int j) const { return size_ + j; }
  int t_id() const { return 2 * size_; }
  int pair_of(int id) const { return id == t_id() ? -1 : id % size_; }
  bool is_slack(int id) const { return id >= size_ && id != t_id(); }
  int head(int position) const { return head_[position]; }
  /// Where slack w_i stands as long as it has not left since the last factorisation.
  int slack_position(int i) const { return i; }
  int kernel_size() const { return static_cast<int>(kernel_rows_.size()); }

  /// Chooses the basic columns; a slack w_i must stand at position i. Call factor() next.
  void set_head(const std::vector<int>& head) { head_ = head; }
  /// x_i of the pairs that are basic by their statuses, w_i of the others. Call factor() next.
  void set_head(const std::vector<PairStatus>& statuses);
  /// Factorises anew. Columns that are no slacks may change position; slacks move to theirs.
  /// @return false if the kernel is singular to rounding.
  bool factor();
  /// a := B^-1 a (row space in, positions out), and y := B^-T y (positions in, row space out).
  void solve(Vector& a) const;
  void solve_transposed(Vector& y) const;
  /// out := column of an id.
  void column(int id, Vector& out) const;
  /// out += alpha * column of an id.
  void add_column(int id, double alpha, Vector& out) const;
  /// Inner product of a row-space vector with a column.
  double dot_column(int id, const Vector& y) const;
  /// r -= B x.
  void subtract_product(const Vector& x, Vector& r) const;
  /// Exchange at a position; `direction` = B^-1 a_entering.
  void replace(int position, int entering, const Vector& direction);

  int updates() const { return exchanges_.count(); }
  /// True if the updates have cost as much as a new factorisation would, or are too many.
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
  std::vector<int> kernel_index_;                  // row -> place in the kernel, or -1
  DenseLu dense_lu_;
  SparseLu sparse_lu_;
  mutable Vector kernel_work_;

  ProductForm exchanges_;
  double factor_cost_ = 0.0, update_cost_ = 0.0;  // floating-point operations, estimated
};

}  // namespace perp
