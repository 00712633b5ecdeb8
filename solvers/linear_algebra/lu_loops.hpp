// The loops of LuKernels for one width of vectors. As with dense_loops.hpp, one source file for
// each instruction set includes this file, and nothing else may be defined or included here. These
// files are compiled without fused operations.
#pragma once

#include <perp/solvers/linear_algebra/dense_kernels.hpp>
#include <perp/solvers/linear_algebra/lu_kernels.hpp>
#include <perp/solvers/linear_algebra/vector_lanes.hpp>

namespace perp {
namespace {

constexpr int kPanel = 4;  // columns; one sweep updates the columns right of a panel

// Calls f(lanes, i) for parts of begin .. end: vectors of kWidth first, then of half of it, and so
// on.
template <int kWidth, class F>
[[gnu::always_inline]] inline void for_lanes(int begin, int end, F&& f) {
  for (; begin + kWidth <= end; begin += kWidth) f(Lanes<kWidth>(), begin);
  if constexpr (kWidth > 1) for_lanes<kWidth / 2>(begin, end, f);
}

// As LuKernels::largest, from `start` on.
template <int kWidth>
[[gnu::always_inline]] inline double largest_from(double start, long count, const double* x) {
  using V = Lanes<kWidth>;
  typename V::Vec best = {};
  long i = 0;
  for (; i + kWidth <= count; i += kWidth) {
    const typename V::Vec value = V::load(x + i), size = value < 0.0 ? -value : value;
    best = size > best ? size : best;
  }
  for (int k = 0; k < kWidth; ++k) start = best[k] > start ? best[k] : start;
  for (; i < count; ++i) {
    const double size = __builtin_fabs(x[i]);
    start = size > start ? size : start;
  }
  return start;
}

template <int kWidth>
double largest(long count, const double* x) {
  return largest_from<kWidth>(0.0, count, x);
}

// The first of the entries with the largest |x_i|, or 0 if x_0 is not a number.
template <int kWidth>
[[gnu::always_inline]] inline int first_of_largest(int count, const double* x) {
  const double first = __builtin_fabs(x[0]);
  const double size = largest_from<kWidth>(first, count, x);
  if (!(size > first)) return 0;
  int i = 1;
  while (!(__builtin_fabs(x[i]) == size)) ++i;
  return i;
}

inline void exchange(double& a, double& b) {
  const double before = a;
  a = b;
  b = before;
}

// Finds the pivots of the columns first .. last and eliminates them in these columns. Rows are
// swapped in the columns begin .. end.
template <int kWidth>
[[gnu::always_inline]] inline bool factor_panel(int size, int first, int last, int begin, int end,
                                                double least, double* a, int* swaps) {
  for (int k = first; k < last; ++k) {
    double* const column = a + static_cast<long>(k) * size;
    const int pivot = k + first_of_largest<kWidth>(size - k, column + k);
    if (!(__builtin_fabs(column[pivot]) > least)) return false;
    swaps[k] = pivot;
    if (pivot != k) {
      for (int j = begin; j < end; ++j)
        exchange(a[static_cast<long>(j) * size + k], a[static_cast<long>(j) * size + pivot]);
    }
    const double inverse = 1.0 / column[k];
    for_lanes<kWidth>(k + 1, size,
                      [&](auto v, int i) { v.store(column + i, v.load(column + i) * inverse); });
    for (int j = k + 1; j < last; ++j) {
      double* const other = a + static_cast<long>(j) * size;
      const double factor = other[k];
      if (factor == 0.0) continue;
      for_lanes<kWidth>(k + 1, size, [&](auto v, int i) {
        v.store(other + i, v.load(other + i) - factor * v.load(column + i));
      });
    }
  }
  return true;
}

// A column right of a whole panel: U12 := L11^-1 A12 and A22 := A22 - L21 U12, four axpys in one
// sweep.
template <int kWidth>
[[gnu::always_inline]] inline void sweep(int size, int first, const double* a, double* c) {
  static_assert(kPanel == 4);
  const double* const l0 = a + static_cast<long>(first) * size;
  const double *const l1 = l0 + size, *const l2 = l1 + size, *const l3 = l2 + size;
  const double u0 = c[first];
  const double u1 = c[first + 1] -= l0[first + 1] * u0;
  const double u2 = c[first + 2] -= l0[first + 2] * u0 + l1[first + 2] * u1;
  const double u3 = c[first + 3] -= l0[first + 3] * u0 + l1[first + 3] * u1 + l2[first + 3] * u2;
  if (u0 == 0.0 && u1 == 0.0 && u2 == 0.0 && u3 == 0.0) return;
  for_lanes<kWidth>(first + kPanel, size, [&](auto v, int i) {
    v.store(c + i, v.load(c + i) - ((v.load(l0 + i) * u0 + v.load(l1 + i) * u1) +
                                    (v.load(l2 + i) * u2 + v.load(l3 + i) * u3)));
  });
}

template <int kWidth>
bool factor_columns(int size, int begin, int end, double least, double* a, int* swaps) {
  for (int first = begin; first < end; first += kPanel) {
    const int last = first + kPanel < end ? first + kPanel : end;
    if (!factor_panel<kWidth>(size, first, last, begin, end, least, a, swaps)) return false;
    for (int j = last; j < end; ++j) sweep<kWidth>(size, first, a, a + static_cast<long>(j) * size);
  }
  return true;
}

// LuKernels::substitute for kNarrow rows and kColumns columns at once.
template <int kWidth, int kColumns>
[[gnu::always_inline]] inline void substitute_some(int size, const double (*l)[kNarrow],
                                                   double* c) {
  using V = Lanes<kWidth>;
  constexpr int kVectors = kNarrow / kWidth;
  typename V::Vec x[kColumns][kVectors];
#pragma GCC unroll 4
  for (int j = 0; j < kColumns; ++j) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v)
      x[j][v] = V::load(c + static_cast<long>(j) * size + v * kWidth);
  }
#pragma GCC unroll 8
  for (int k = 0; k + 1 < kNarrow; ++k) {
#pragma GCC unroll 4
    for (int j = 0; j < kColumns; ++j) {
      const double factor = x[j][k / kWidth][k % kWidth];
#pragma GCC unroll 8
      for (int v = k / kWidth; v < kVectors; ++v) x[j][v] -= V::load(l[k] + v * kWidth) * factor;
    }
  }
#pragma GCC unroll 4
  for (int j = 0; j < kColumns; ++j) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v)
      V::store(c + static_cast<long>(j) * size + v * kWidth, x[j][v]);
  }
}

template <int kWidth>
void substitute(int size, int rows, int columns, const double* a, double* c) {
  if (rows < kNarrow) {
    for (int j = 0; j < columns; ++j, c += size) {
      for (int k = 0; k + 1 < rows; ++k) {
        for (int i = k + 1; i < rows; ++i) c[i] -= a[static_cast<long>(k) * size + i] * c[k];
      }
    }
    return;
  }
  // Zeros on and above the diagonal: there 0 times a finite number is subtracted.
  double l[kNarrow][kNarrow] = {};
  for (int k = 0; k < kNarrow; ++k) {
    for (int i = k + 1; i < kNarrow; ++i) l[k][i] = a[static_cast<long>(k) * size + i];
  }
  int j = 0;
  for (; j + 4 <= columns; j += 4)
    substitute_some<kWidth, 4>(size, l, c + static_cast<long>(j) * size);
  for (; j < columns; ++j) substitute_some<kWidth, 1>(size, l, c + static_cast<long>(j) * size);
}

// Rows begin .. end of x: the products with kPanel columns, `stride` apart, are subtracted one
// after the other.
template <int kWidth>
[[gnu::always_inline]] inline void subtract_panel(int stride, int begin, int end, const double* a,
                                                  const double* factors, double* x) {
  const double f0 = factors[0], f1 = factors[1], f2 = factors[2], f3 = factors[3];
  if (f0 == 0.0 && f1 == 0.0 && f2 == 0.0 && f3 == 0.0) return;
  const double *const a0 = a, *const a1 = a0 + stride, *const a2 = a1 + stride;
  const double* const a3 = a2 + stride;
  for_lanes<kWidth>(begin, end, [&](auto v, int i) {
    auto sum = v.load(x + i) - f0 * v.load(a0 + i);
    sum -= f1 * v.load(a1 + i);
    sum -= f2 * v.load(a2 + i);
    v.store(x + i, sum - f3 * v.load(a3 + i));
  });
}

template <int kWidth>
void solve(int size, const double* a, double* x) {
  const auto at = [&](int i, int j) { return a[static_cast<long>(j) * size + i]; };
  const int whole = size / kPanel * kPanel;
  for (int k = 0; k < size; k += kPanel) {
    const int end = k < whole ? k + kPanel : size;
    for (int j = k; j < end; ++j) {
      for (int i = j + 1; i < end; ++i) x[i] -= x[j] * at(i, j);
    }
    if (end < size)
      subtract_panel<kWidth>(size, end, size, a + static_cast<long>(k) * size, x + k, x);
  }
  for (int end = size; end > 0;) {
    const int k = end > whole ? whole : end - kPanel;
    for (int j = end - 1; j >= k; --j) {
      x[j] /= at(j, j);
      for (int i = k; i < j; ++i) x[i] -= x[j] * at(i, j);
    }
    if (end <= whole) {
      // From right to left.
      const double factors[kPanel] = {x[k + 3], x[k + 2], x[k + 1], x[k]};
      subtract_panel<kWidth>(-size, 0, k, a + static_cast<long>(k + 3) * size, factors, x);
    } else {
      for (int j = end - 1; j >= k; --j) {
        const double* const column = a + static_cast<long>(j) * size;
        const double factor = x[j];
        for_lanes<kWidth>(0, k, [&](auto v, int i) {
          v.store(x + i, v.load(x + i) - factor * v.load(column + i));
        });
      }
    }
    end = k;
  }
}

template <int kWidth>
constexpr LuKernels make_lu_kernels() {
  return {Leaving<largest<kWidth>>::run, Leaving<factor_columns<kWidth>>::run,
          Leaving<substitute<kWidth>>::run, Leaving<solve<kWidth>>::run};
}

}  // namespace
}  // namespace perp
