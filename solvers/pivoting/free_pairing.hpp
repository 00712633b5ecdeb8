// Equations and free unknowns, paired so that their block is nonsingular.
#pragma once

#include <memory>
#include <perp/problems/standard/lcp.hpp>
#include <perp/solvers/linear_algebra/sparse_lu.hpp>
#include <vector>

namespace perp {

/// Free unknowns must be basic, so the block M_FF of their rows and columns should be nonsingular.
/// Both the equations and the unknowns are unrestricted, so any pairing of them is right.
///
/// Invariant after by_rank(): the rows and columns named in rows and columns form a block of full
/// rank, to rounding; left_rows and left_columns are the others, as many rows as columns.
/// Indices are those of the problem.
class FreePairing {
 public:
  FreePairing();
  ~FreePairing();

  /// Every equation with its own unknown if elimination shows beyond doubt that M_FF is regular;
  /// else anew, by a factorisation that reveals rank. Allocates nothing the second time if M_FF is
  /// regular or has at most 400 rows.
  void by_rank(const Mlcp& problem);
  /// Every equation with its own unknown, whatever the rank of M_FF.
  void by_row(const Mlcp& problem);

  std::vector<int> rows, columns;            ///< paired in order
  std::vector<int> left_rows, left_columns;  ///< likewise

 private:
  struct DenseFactors;

  void find_free(const Mlcp& problem);
  void equilibrate_block(const Matrix& M);
  bool is_clearly_regular();
  void choose_by_dense_lu();
  void choose_by_sparse_qr();
  int block_size() const { return static_cast<int>(free_.size()); }

  std::vector<int> free_, position_;      // the free unknowns; unknown -> place among them, or -1
  std::vector<int> starts_, block_rows_;  // M_FF by columns, rows and columns divided by their
  std::vector<double> values_;            // largest entries
  Vector row_max_, column_max_;
  SparseLu lu_;
  std::unique_ptr<DenseFactors> dense_;
};

}  // namespace perp
