// The inner loops of dense factorisations, for the vector unit of the machine at hand.
#pragma once

namespace perp {

/// Loops that are compiled for several instruction sets (dense_loops.hpp). Matrices are stored by
/// columns, which are `stride` apart.
struct DenseKernels {
  const char* name;           ///< "baseline", "avx2" or "avx512"
  int row_tile, column_tile;  ///< rows of the packed factors

  /// c := c - a b' for a of `row_tile` and b of `column_tile` rows, both packed: all rows of an
  /// inner index, then those of the next. Only the first `rows` and `columns` of c are there.
  void (*subtract_tile)(int inner, const double* a, const double* b, double* c, int stride,
                        int rows, int columns);

  /// Each row a of `columns` entries, kNarrow at most, becomes y D^-1 with y L' = a; L is unit
  /// lower triangular, and `inverses` are those of D.
  void (*divide_rows)(int rows, int columns, double* a, int stride, const double* l, int l_stride,
                      const double* inverses);
};

inline constexpr int kNarrow = 8;

/// The best that this machine can run, found once. The variable PERP_KERNELS in the environment
/// names plainer ones, to compare; a name that is not there, or that the machine cannot run, counts
/// for nothing.
const DenseKernels& dense_kernels();

/// By name; null if this machine cannot run them.
const DenseKernels* find_dense_kernels(const char* name);

}  // namespace perp
