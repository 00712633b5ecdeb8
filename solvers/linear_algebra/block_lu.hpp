// LU factorisation of a sparse square matrix of 3 x 3 blocks.
#pragma once

#include <Eigen/Core>
#include <perp/problems/matrix/eigen_layout.hpp>
#include <perp/solvers/linear_algebra/block_kernels.hpp>
#include <span>
#include <vector>

namespace perp {

/// A = L U by columns of 3 x 3 blocks, left-looking, in an approximate minimum degree order of the
/// blocks [AmestoyDavisDuff1996]. Pivots are chosen only inside the diagonal blocks. So the pattern
/// of L and U is known in advance, and all work is done on whole blocks. If that loses too many
/// digits, solve() returns false. For such matrices there is SparseLu, which looks for pivots in
/// whole columns. The matrix is filled column by column with begin() and append_column(). After a
/// first matrix of the same sizes, only AMD allocates.
class BlockLu {
 public:
  /// @param size number of blocks in a row and in a column
  void begin(int size);
  /// Adds a column of blocks in these rows, of which none may come twice. @return kBlockValues
  /// values for each block, one block after the other; to be filled before the next call, their
  /// paddings with zeros
  double* append_column(std::span<const int> rows);

  /// Orders the blocks and finds the pattern of L and U. factor() does this first.
  /// @return false if CurrentDeadline passed before that was done
  bool analyse();
  /// Nothing is done if the matrix is that of the factorisation before, to the bit.
  /// @return false if a diagonal block is singular to rounding at its elimination, or if
  /// CurrentDeadline has passed
  bool factor();
  /// Additions and multiplications of a factorisation with this pattern, after analyse() or
  /// factor().
  double estimated_operations() const { return operations_; }

  /// x := A^-1 x, 3 values per block, with iterative refinement if needed.
  /// @return false if max |b - A x| stays above 1e-12 max (|A| |x| + |b|); x is then useless
  bool solve(double* x);
  /// The same without refinement and check, for preconditioners.
  void substitute(double* x);

 private:
  // Aligned, so that no column of a block lies across two lines of the cache.
  using Values = std::vector<double, Eigen::aligned_allocator<double>>;

  std::size_t filled() const { return kBlockValues * a_.rows.size(); }  // of values_
  bool is_factored() const;
  void order_blocks();
  bool find_pattern();
  void find_pattern_of_u();
  void load_column(int column);
  void substitute_padded(double* x);
  bool is_solved(const double* x);

  /// Of blocks, by columns.
  struct Pattern {
    std::vector<int> starts, rows;
    bool operator==(const Pattern&) const = default;
    BlockColumns with(const Values& values) const {
      return {starts.data(), rows.data(), values.data()};
    }
  };
  /// Work space of find_pattern(): A + A' below its diagonal, by columns; the elimination tree.
  struct Tree {
    std::vector<int> below_starts, below, mark, first_child, next_child;
  };

  int size_ = 0;
  Pattern a_, analysed_;               // of the matrix; of the one that was analysed last
  Pattern l_, u_;                      // without their diagonals
  std::vector<int> order_, position_;  // new -> old, old -> new
  Tree tree_;
  Values values_;                    // of a_; may be longer
  Values factored_values_;           // of the matrix of L and U, from begin() on
  bool factored_ = false;            // L and U are those of a matrix of analysed_
  bool has_factored_ = false;        // and values_ are its values
  Values lower_, upper_, inverses_;  // L, U and the inverses of U's diagonal blocks
  Values column_;                    // the current column of blocks
  /// Of solve(): kBlockStride values for each block.
  struct Sides {
    Values given, solution, residual, scratch;
  } sides_;
  double operations_ = 0.0;
};

}  // namespace perp
