// The loops of BlockKernels. As with dense_loops.hpp, one source file for each instruction set
// includes this file, and nothing else may be defined or included here.
#pragma once

#include <perp/solvers/linear_algebra/block_kernels.hpp>
#include <perp/solvers/linear_algebra/vector_lanes.hpp>

namespace perp {
namespace {

using V = Lanes<kBlockStride>;

// The columns of a block.
struct BlockVec {
  V::Vec column[3];

  [[gnu::always_inline]] explicit BlockVec(const double* block)
      : column{V::load(block), V::load(block + kBlockStride), V::load(block + 2 * kBlockStride)} {}

  [[gnu::always_inline]] V::Vec times(const double* x) const {
    return column[0] * x[0] + column[1] * x[1] + column[2] * x[2];
  }
  // y - block x
  [[gnu::always_inline]] V::Vec taken_from(V::Vec y, const double* x) const {
    return y - column[0] * x[0] - column[1] * x[1] - column[2] * x[2];
  }
};

inline const double* block_at(const double* values, int k) {
  return values + static_cast<long>(k) * kBlockValues;
}
inline double* block_at(double* values, int k) {
  return values + static_cast<long>(k) * kBlockValues;
}

// Moves a block. What was there is 0 then.
[[gnu::always_inline]] inline void move_block(double* from, double* to) {
  const typename V::Vec zero = {};
  for (int j = 0; j < kBlockValues; j += kBlockStride) {
    V::store(to + j, V::load(from + j));
    V::store(from + j, zero);
  }
}

inline void eliminate_blocks(int begin, int end, const int* rows, double* upper, BlockColumns lower,
                             double* column) {
  for (int e = begin; e < end; ++e) {
    const int k = rows[e];
    double* const u = block_at(upper, e);
    move_block(block_at(column, k), u);
    double b[9];
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 3; ++i) b[3 * j + i] = u[kBlockStride * j + i];
    }
    for (int f = lower.starts[k]; f < lower.starts[k + 1]; ++f) {
      const BlockVec a(block_at(lower.values, f));
      double* const x = block_at(column, lower.rows[f]);
      for (int j = 0; j < 3; ++j) {
        double* const to = x + kBlockStride * j;
        V::store(to, a.taken_from(V::load(to), b + 3 * j));
      }
    }
  }
}

constexpr double kSingularPivot = 1e-14;

// A row of a block, and of what becomes its inverse.
struct TwinRow {
  V::Vec left, right;

  [[gnu::always_inline]] void exchange(TwinRow& other) {
    const TwinRow before = *this;
    *this = other;
    other = before;
  }
};

// Gauss-Jordan elimination. Of rows that are done only what is 0 or 1 changes nothing.
inline bool invert_block(const double* block, double* inverse) {
  TwinRow rows[3];
  double largest = 0.0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const double value = block[kBlockStride * j + i];
      const double size = __builtin_fabs(value);
      largest = largest < size ? size : largest;
      rows[i].left[j] = value;
      rows[i].right[j] = i == j ? 1.0 : 0.0;
    }
    rows[i].left[3] = rows[i].right[3] = 0.0;
  }
  for (int k = 0; k < 3; ++k) {
    int pivot = k;
    for (int i = k + 1; i < 3; ++i) {
      if (__builtin_fabs(rows[i].left[k]) > __builtin_fabs(rows[pivot].left[k])) pivot = i;
    }
    if (!(__builtin_fabs(rows[pivot].left[k]) > kSingularPivot * largest)) return false;
    if (pivot != k) rows[k].exchange(rows[pivot]);
    const double scale = 1.0 / rows[k].left[k];
    rows[k].left *= scale;
    rows[k].right *= scale;
    for (int i = 0; i < 3; ++i) {
      if (i == k) continue;
      const double factor = rows[i].left[k];
      rows[i].left -= factor * rows[k].left;
      rows[i].right -= factor * rows[k].right;
    }
  }
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) inverse[kBlockStride * j + i] = rows[i].right[j];
    inverse[kBlockStride * j + 3] = 0.0;
  }
  return true;
}

inline void divide_blocks(int begin, int end, const int* rows, const double* inverse,
                          double* column, double* lower) {
  const typename V::Vec zero = {};
  for (int e = begin; e < end; ++e) {
    double *const x = block_at(column, rows[e]), *const to = block_at(lower, e);
    const BlockVec a(x);
    for (int j = 0; j < kBlockValues; j += kBlockStride) {
      V::store(to + j, a.times(inverse + j));
      V::store(x + j, zero);
    }
  }
}

// Subtracts the products of a column of blocks with its part of y.
[[gnu::always_inline]] inline void subtract_column(const BlockColumns& a, int column, double* y) {
  const double* const x = y + static_cast<long>(kBlockStride) * column;
  for (int e = a.starts[column]; e < a.starts[column + 1]; ++e) {
    double* const to = y + static_cast<long>(kBlockStride) * a.rows[e];
    V::store(to, BlockVec(block_at(a.values, e)).taken_from(V::load(to), x));
  }
}

inline void substitute_blocks(int size, BlockColumns lower, BlockColumns upper,
                              const double* inverses, double* y) {
  for (int k = 0; k < size; ++k) subtract_column(lower, k, y);
  for (int k = size - 1; k >= 0; --k) {
    double* const x = y + static_cast<long>(kBlockStride) * k;
    V::store(x, BlockVec(block_at(inverses, k)).times(x));
    subtract_column(upper, k, y);
  }
}

[[gnu::always_inline]] inline V::Vec size_of(V::Vec x) { return x < 0.0 ? -x : x; }

inline void subtract_blocks(int size, BlockColumns a, const double* x, double* r, double* s) {
  for (int j = 0; j < size; ++j) {
    const double* const xj = x + static_cast<long>(kBlockStride) * j;
    for (int k = a.starts[j]; k < a.starts[j + 1]; ++k) {
      const BlockVec block(block_at(a.values, k));
      const long row = static_cast<long>(kBlockStride) * a.rows[k];
      const typename V::Vec first = block.column[0] * xj[0], second = block.column[1] * xj[1],
                            third = block.column[2] * xj[2];
      V::store(r + row, V::load(r + row) - (first + second + third));
      V::store(s + row, V::load(s + row) + (size_of(first) + size_of(second) + size_of(third)));
    }
  }
}

inline void multiply_blocks(int count, const double* const* b, const double* const* w,
                            double* out) {
  for (int k = 0; k < count; ++k, out += kBlockValues) {
    const BlockVec block(b[k]);
    for (int j = 0; j < 3; ++j) V::store(out + kBlockStride * j, block.times(w[k] + 3 * j));
  }
}

constexpr BlockKernels make_block_kernels() {
  return {Leaving<eliminate_blocks>::run, Leaving<invert_block>::run,
          Leaving<divide_blocks>::run,    Leaving<substitute_blocks>::run,
          Leaving<subtract_blocks>::run,  Leaving<multiply_blocks>::run};
}

}  // namespace
}  // namespace perp
