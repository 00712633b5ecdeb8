// The loops of DenseKernels for one width of vectors. One source file for each instruction set
// includes this file and is compiled for that set. So only these loops may be defined or
// included here: else the linker might take a common function from the source file that needs the
// newest machine.
#pragma once

#include <perp/solvers/linear_algebra/dense_kernels.hpp>
#include <perp/solvers/linear_algebra/vector_lanes.hpp>

namespace perp {
namespace {

// A tile has kVectors vectors of rows.
template <int kWidth, int kVectors, int kColumns>
void subtract_tile(int inner, const double* a, const double* b, double* c, int stride, int rows,
                   int columns) {
  using V = Lanes<kWidth>;
  constexpr int kRows = kWidth * kVectors;
  typename V::Vec sum[kColumns][kVectors] = {};
  for (int k = 0; k < inner; ++k, a += kRows, b += kColumns) {
    typename V::Vec x[kVectors];
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) x[v] = V::load(a + v * kWidth);
#pragma GCC unroll 16
    for (int j = 0; j < kColumns; ++j) {
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) sum[j][v] += x[v] * b[j];
    }
  }
  if (rows == kRows && columns == kColumns) {
#pragma GCC unroll 16
    for (int j = 0; j < kColumns; ++j) {
      double* column = c + static_cast<long>(j) * stride;
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v)
        V::store(column + v * kWidth, V::load(column + v * kWidth) - sum[j][v]);
    }
    return;
  }
  double tile[kColumns][kRows];
#pragma GCC unroll 16
  for (int j = 0; j < kColumns; ++j) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) V::store(tile[j] + v * kWidth, sum[j][v]);
  }
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < rows; ++i) c[static_cast<long>(j) * stride + i] -= tile[j][i];
  }
}

template <int kRows>
void pack_tile(int rows, int columns, const double* a, int stride, double factor, const double* d,
               double* packed) {
  for (int k = 0; k < columns; ++k, a += stride, packed += kRows) {
    const double scale = d ? factor * d[k] : factor;
    if (rows == kRows) {
#pragma GCC unroll 16
      for (int i = 0; i < kRows; ++i) packed[i] = scale * a[i];
    } else {
      for (int i = 0; i < rows; ++i) packed[i] = scale * a[i];
      for (int i = rows; i < kRows; ++i) packed[i] = 0.0;
    }
  }
}

// kWidth rows of kColumns columns.
template <int kWidth, int kColumns>
void divide_some_rows(double* a, int stride, const double* l, int l_stride,
                      const double* inverses) {
  using V = Lanes<kWidth>;
  typename V::Vec y[kColumns];
#pragma GCC unroll 8
  for (int j = 0; j < kColumns; ++j) y[j] = V::load(a + static_cast<long>(j) * stride);
#pragma GCC unroll 8
  for (int j = 1; j < kColumns; ++j) {
#pragma GCC unroll 8
    for (int i = 0; i < j; ++i) y[j] -= y[i] * l[static_cast<long>(i) * l_stride + j];
  }
#pragma GCC unroll 8
  for (int j = 0; j < kColumns; ++j)
    V::store(a + static_cast<long>(j) * stride, y[j] * inverses[j]);
}

template <int kWidth, int kColumns>
void divide_rows_of(int rows, double* a, int stride, const double* l, int l_stride,
                    const double* inverses) {
  int i = 0;
  for (; i + kWidth <= rows; i += kWidth)
    divide_some_rows<kWidth, kColumns>(a + i, stride, l, l_stride, inverses);
  for (; i < rows; ++i) divide_some_rows<1, kColumns>(a + i, stride, l, l_stride, inverses);
}

template <int kWidth>
void divide_rows(int rows, int columns, double* a, int stride, const double* l, int l_stride,
                 const double* inverses) {
  switch (columns) {
    case 1:
      return divide_rows_of<kWidth, 1>(rows, a, stride, l, l_stride, inverses);
    case 2:
      return divide_rows_of<kWidth, 2>(rows, a, stride, l, l_stride, inverses);
    case 3:
      return divide_rows_of<kWidth, 3>(rows, a, stride, l, l_stride, inverses);
    case 4:
      return divide_rows_of<kWidth, 4>(rows, a, stride, l, l_stride, inverses);
    case 5:
      return divide_rows_of<kWidth, 5>(rows, a, stride, l, l_stride, inverses);
    case 6:
      return divide_rows_of<kWidth, 6>(rows, a, stride, l, l_stride, inverses);
    case 7:
      return divide_rows_of<kWidth, 7>(rows, a, stride, l, l_stride, inverses);
    default:
      return divide_rows_of<kWidth, 8>(rows, a, stride, l, l_stride, inverses);
  }
}

// kColumns columns at a time, so that y is loaded and stored once for all of them.
template <int kWidth, int kColumns, class T>
void subtract_some_columns(int rows, const T* a, int stride, const double* x, double* y) {
  using V = Lanes<kWidth>;
  int i = 0;
  for (; i + kWidth <= rows; i += kWidth) {
    typename V::Vec even = V::load(y + i), odd = {};
#pragma GCC unroll 8
    for (int j = 0; j < kColumns; ++j)
      (j % 2 == 0 ? even : odd) -= V::load(a + static_cast<long>(j) * stride + i) * x[j];
    V::store(y + i, even + odd);
  }
  for (; i < rows; ++i) {
    double sum = 0.0;
#pragma GCC unroll 8
    for (int j = 0; j < kColumns; ++j) sum += a[static_cast<long>(j) * stride + i] * x[j];
    y[i] -= sum;
  }
}

template <int kWidth, class T>
void subtract_product(int rows, int columns, const T* a, int stride, const double* x, double* y) {
  int j = 0;
  for (; j + 8 <= columns; j += 8)
    subtract_some_columns<kWidth, 8>(rows, a + static_cast<long>(j) * stride, stride, x + j, y);
  for (; j < columns; ++j)
    subtract_some_columns<kWidth, 1>(rows, a + static_cast<long>(j) * stride, stride, x + j, y);
}

// The products of x with kColumns columns.
template <int kWidth, int kColumns, class T>
void subtract_some_dots(int rows, const T* a, int stride, const double* x, double* y) {
  using V = Lanes<kWidth>;
  typename V::Vec sum[kColumns] = {};
  int i = 0;
  for (; i + kWidth <= rows; i += kWidth) {
    const typename V::Vec part = V::load(x + i);
#pragma GCC unroll 8
    for (int j = 0; j < kColumns; ++j)
      sum[j] += V::load(a + static_cast<long>(j) * stride + i) * part;
  }
#pragma GCC unroll 8
  for (int j = 0; j < kColumns; ++j) {
    double total = 0.0;
#pragma GCC unroll 8
    for (int k = 0; k < kWidth; ++k) total += sum[j][k];
    const T* column = a + static_cast<long>(j) * stride;
    for (int k = i; k < rows; ++k) total += column[k] * x[k];
    y[j] -= total;
  }
}

template <int kWidth, class T>
void subtract_transposed(int rows, int columns, const T* a, int stride, const double* x,
                         double* y) {
  int j = 0;
  for (; j + 8 <= columns; j += 8)
    subtract_some_dots<kWidth, 8>(rows, a + static_cast<long>(j) * stride, stride, x, y + j);
  for (; j < columns; ++j)
    subtract_some_dots<kWidth, 1>(rows, a + static_cast<long>(j) * stride, stride, x, y + j);
}

// A column of a block is a vector of four whose last entry has no effect.
template <int kWidth>
void add_block_row(int blocks, const int* columns, const double* a, const double* x, double* y) {
  if constexpr (kWidth < 4) {
    double sum[3] = {y[0], y[1], y[2]};
    for (int k = 0; k < blocks; ++k, a += 9) {
      const double* part = x + 3 * static_cast<long>(columns[k]);
#pragma GCC unroll 3
      for (int i = 0; i < 3; ++i)
        sum[i] += a[i] * part[0] + a[3 + i] * part[1] + a[6 + i] * part[2];
    }
    for (int i = 0; i < 3; ++i) y[i] = sum[i];
  } else {
    using V = Lanes<4>;
    typename V::Vec first = {y[0], y[1], y[2], 0.0}, second = {}, third = {};
    for (int k = 0; k < blocks; ++k, a += 9) {
      const double* part = x + 3 * static_cast<long>(columns[k]);
      first += V::load(a) * part[0];
      second += V::load(a + 3) * part[1];
      third += V::load(a + 6) * part[2];
    }
    first += second + third;
    for (int i = 0; i < 3; ++i) y[i] = first[i];
  }
}

template <int kWidth, int kVectors, int kColumns>
constexpr DenseKernels make_kernels(const char* name) {
  return {name,
          kWidth * kVectors,
          kColumns,
          Leaving<subtract_tile<kWidth, kVectors, kColumns>>::run,
          Leaving<pack_tile<kWidth * kVectors>>::run,
          Leaving<pack_tile<kColumns>>::run,
          Leaving<divide_rows<kWidth>>::run,
          Leaving<subtract_product<kWidth, double>>::run,
          Leaving<subtract_transposed<kWidth, double>>::run,
          Leaving<subtract_product<kWidth, float>>::run,
          Leaving<subtract_transposed<kWidth, float>>::run,
          Leaving<add_block_row<kWidth>>::run};
}

}  // namespace
}  // namespace perp
