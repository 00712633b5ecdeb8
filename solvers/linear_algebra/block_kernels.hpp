// The inner loops of BlockLu, for the vector unit of this machine.
#pragma once

namespace perp {

/// A block of 3 x 3 is kept by columns, each padded to kBlockStride; a vector of blocks has as many
/// values for each block. The values that fill up are 0.
constexpr int kBlockStride = 4;
constexpr int kBlockValues = 3 * kBlockStride;

/// Blocks of a matrix, by columns: those of column j are starts[j] .. starts[j + 1].
struct BlockColumns {
  const int* starts;
  const int* rows;
  const double* values;
};

/// Loops that are compiled for several instruction sets (block_loops.hpp), for AVX2 with fused
/// operations. So they may differ in last bits.
struct BlockKernels {
  /// Subtracts from a column of A, in `column`, the contributions of the columns of L that the
  /// blocks begin .. end of `upper`, with these rows, ask for in turn. These blocks are moved from
  /// `column` to `upper`.
  void (*eliminate)(int begin, int end, const int* rows, double* upper, BlockColumns lower,
                    double* column);

  /// inverse := block^-1, by elimination with partial pivoting.
  /// @return false if a pivot is at most 1e-14 times the largest entry
  bool (*invert)(const double* block, double* inverse);

  /// Blocks begin .. end of `lower` := those of `column` in these rows, times `inverse`. They are
  /// set to 0 in `column`.
  void (*divide)(int begin, int end, const int* rows, const double* inverse, double* column,
                 double* lower);

  /// y := U^-1 L^-1 y. `inverses` are those of the blocks on U's diagonal.
  void (*substitute)(int size, BlockColumns lower, BlockColumns upper, const double* inverses,
                     double* y);

  /// r := r - A x and s := s + |A| |x|, entry by entry.
  void (*subtract)(int size, BlockColumns a, const double* x, double* r, double* s);

  /// Blocks of `out`, one after the other, := b[k] w[k]. Those of w are not padded.
  void (*multiply)(int count, const double* const* b, const double* const* w, double* out);
};

/// Those with the instructions of dense_kernels().
const BlockKernels& block_kernels();

/// By the names of DenseKernels; null if this machine cannot run them. Blocks are as wide as the
/// vectors of AVX2, so "avx512" has its loops.
const BlockKernels* find_block_kernels(const char* name);

}  // namespace perp
