// The loop of RowSums over rows that follow each other. One source file for each instruction set
// includes this file and is compiled for that set; all of them give the same bits.
#pragma once

#include <perp/problems/standard/double_double.hpp>

namespace perp {

/// The numbers of the rows of RowSums, from the first row of a run on.
struct RowSumArrays {
  double *sums, *errors, *rests, *sizes, *counts, *unsafe;
};
/// Adds a[i] x to row i, i < count.
using RowSumLoop = void (*)(const RowSumArrays& to, int count, const double* a, double x);

/// Below it the error of a product may be no double.
inline constexpr double kSmallestProduct = 1e-280;

static inline void add_to_rows(const RowSumArrays& to, int count, const double* __restrict a,
                               double x) {
  using namespace double_double;
  const Halves v = split(x);
  double* __restrict const sums = to.sums;
  double* __restrict const errors = to.errors;
  double* __restrict const rests = to.rests;
  double* __restrict const sizes = to.sizes;
  double* __restrict const counts = to.counts;
  double* __restrict const unsafe = to.unsafe;
#pragma GCC ivdep
  for (int i = 0; i < count; ++i) {
    const double product = a[i] * x, size = __builtin_fabs(product);
    const double error = error_of(product, split(a[i]), v);
    unsafe[i] = __builtin_fabs(a[i]) > 0.0 && size < kSmallestProduct ? 1.0 : unsafe[i];
    const double of_sum = two_sum(sums[i], product);
    const double of_first = two_sum(errors[i], error);
    const double of_second = two_sum(errors[i], of_sum);
    rests[i] += of_first + of_second;
    sizes[i] += size;
    counts[i] += 1.0;
  }
}

}  // namespace perp
