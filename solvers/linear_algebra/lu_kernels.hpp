// The inner loops of DenseLu, for the vector unit of this machine.
#pragma once

namespace perp {

/// Loops that are compiled for several instruction sets (lu_loops.hpp). If all numbers are finite,
/// all of them give the same bits: nothing is fused, and every number goes through the same
/// operations in the same order. Matrices are square and stored by columns.
struct LuKernels {
  /// The largest |x_i|; 0 without any. An x_i that is not a number does not count.
  double (*largest)(long count, const double* x);

  /// Factorises the columns begin .. end of a matrix of `size` rows, whose updates by the columns
  /// before are done: L and U replace them. Row swaps[k] is exchanged with row k before column k is
  /// eliminated, in these columns only. @param least smallest |pivot|
  /// @return false if a pivot is not larger than that
  bool (*factor_columns)(int size, int begin, int end, double least, double* a, int* swaps);

  /// C := L^-1 C for the first rows, at most kNarrow, of columns of a matrix of `size` rows. L is
  /// the unit lower triangle of `a`, whose columns have the same stride.
  void (*substitute)(int size, int rows, int columns, const double* a, double* c);

  /// x := U^-1 L^-1 x.
  void (*solve)(int size, const double* a, double* x);
};

/// Those with the instructions of dense_kernels().
const LuKernels& lu_kernels();

/// By the names of DenseKernels; null if this machine cannot run them.
const LuKernels* find_lu_kernels(const char* name);

}  // namespace perp
