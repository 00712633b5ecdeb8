// The inner loops of dense factorisations, for the vector unit of this machine.
#pragma once

namespace perp {

/// Loops that are compiled for several instruction sets (dense_loops.hpp). Matrices are stored by
/// columns, which are `stride` apart.
struct DenseKernels {
  const char* name;           ///< "baseline", "avx2" or "avx512"
  int row_tile, column_tile;  ///< rows of the packed factors a and b

  /// c := c - a b'. a has `row_tile` rows and b `column_tile` rows, both `inner` columns, and both
  /// are packed: all rows of one column, then those of the next. Only the first `rows` rows and
  /// `columns` columns of c exist.
  void (*subtract_tile)(int inner, const double* a, const double* b, double* c, int stride,
                        int rows, int columns);

  /// Packs `rows` rows (at most `row_tile`, or `column_tile`) of `columns` columns of a, times
  /// `factor` and, if d is not null, d of the column. The rows that are missing in the tile are 0.
  void (*pack_rows)(int rows, int columns, const double* a, int stride, double factor,
                    const double* d, double* packed);
  void (*pack_columns)(int rows, int columns, const double* a, int stride, double factor,
                       const double* d, double* packed);

  /// Replaces each row a of `columns` entries (at most kNarrow) by y D^-1 with y L' = a. L is unit
  /// lower triangular; `inverses` are the reciprocals of the diagonal of D.
  void (*divide_rows)(int rows, int columns, double* a, int stride, const double* l, int l_stride,
                      const double* inverses);

  /// y := y - A x, with A of `rows` rows and `columns` columns.
  void (*subtract_product)(int rows, int columns, const double* a, int stride, const double* x,
                           double* y);
  /// y := y - A' x.
  void (*subtract_transposed)(int rows, int columns, const double* a, int stride, const double* x,
                              double* y);
  /// The same with A in single precision. All sums are in double precision.
  void (*subtract_single_product)(int rows, int columns, const float* a, int stride,
                                  const double* x, double* y);
  void (*subtract_single_transposed)(int rows, int columns, const float* a, int stride,
                                     const double* x, double* y);

  /// y := y + A x with a row A of 3 x 3 blocks. Block k is stored by columns at a + 9 k and belongs
  /// to x + 3 columns[k]. The number after the last block is read, but has no effect.
  void (*add_block_row)(int blocks, const int* columns, const double* a, const double* x,
                        double* y);
};

/// Most columns of divide_rows(): recursions by halves of the columns end here.
inline constexpr int kNarrow = 8;

/// The fastest kernels that this machine can run, chosen once. The environment variable
/// PERP_KERNELS can name others ("baseline", "avx2" or "avx512"), for comparisons. It is ignored if
/// there is no such name or if the machine cannot run them.
const DenseKernels& dense_kernels();

/// By name; null if this machine cannot run them.
const DenseKernels* find_dense_kernels(const char* name);

}  // namespace perp
