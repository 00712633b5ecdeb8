// Pairs equations and free unknowns so that their block is nonsingular.
#pragma once

#include <memory>
#include <perp/problems/standard/lcp.hpp>
#include <perp/solvers/linear_algebra/sparse_lu.hpp>
#include <vector>

namespace perp {

/// Free unknowns must be basic, so the block M_FF of their rows and columns should be nonsingular.
/// The rows are equations and the unknowns have no bounds, so every pairing of them is valid.
///
/// Invariant after by_rank(): the rows and columns in `rows` and `columns` form a block of full
/// rank, to rounding. left_rows and left_columns are the others, as many rows as columns. Indices
/// are those of the problem.
class FreePairing {
 public:
  FreePairing();
  ~FreePairing();

  /// Pairs every equation with its own unknown if elimination clearly shows that M_FF is regular;
  /// else by a rank-revealing factorisation. A second call allocates nothing if M_FF is regular or
  /// has at most 400 rows.
  /// @throws DeadlinePassed
  void by_rank(const Mlcp& problem);
  /// Pairs every equation with its own unknown, for every rank of M_FF.
  void by_row(const Mlcp& problem);

  std::vector<int> rows, columns;            ///< paired in this order
  std::vector<int> left_rows, left_columns;  ///< the same for those left over

 private:
  struct DenseFactors;

  void find_free(const Mlcp& problem);
  void equilibrate_block(const Matrix& M);
  bool is_clearly_regular();
  void choose_by_dense_lu();
  void choose_by_sparse_qr();
  int block_size() const { return static_cast<int>(free_.size()); }

  std::vector<int> free_, position_;      // the free unknowns; place of each unknown there, or -1
  std::vector<int> starts_, block_rows_;  // M_FF by columns, rows and columns divided by their
  std::vector<double> values_;            // largest entries
  Vector row_max_, column_max_;
  SparseLu lu_;
  std::unique_ptr<DenseFactors> dense_;
};

}  // namespace perp
