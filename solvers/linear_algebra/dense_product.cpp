#include <perp/solvers/linear_algebra/dense_product.hpp>

#include <algorithm>
#include <cstddef>

namespace perp {

namespace {

// A block of A fills a little more than half a second-level cache of 512 KB, a block of B all of
// it. kRows is a multiple of the row tiles of all kernels: 4, 12 and 16.
constexpr int kInner = 256, kRows = 144, kColumns = 256;
constexpr int kTinyProduct = 2000;  // multiplications; below, packing costs more than it saves

std::size_t packed_size(int rows, int inner, int tile) {
  return static_cast<std::size_t>((rows + tile - 1) / tile * tile) *
         static_cast<std::size_t>(inner);
}

// Small products: column by column.
void add_plainly(double factor, const DensePart& a, const DensePart& b, int inner, const double* d,
                 double* c, int stride, bool lower) {
  for (int k = 0; k < inner; ++k) {
    const double* x = a.data + static_cast<std::ptrdiff_t>(k) * a.stride;
    const double* y = b.data + static_cast<std::ptrdiff_t>(k) * b.stride;
    const double scale = d ? factor * d[k] : factor;
    for (int j = 0; j < b.rows; ++j, y += b.step) {
      const double times = scale * *y;
      double* column = c + static_cast<std::ptrdiff_t>(j) * stride;
      for (int i = lower ? j : 0; i < a.rows; ++i)
        column[i] += x[static_cast<std::ptrdiff_t>(i) * a.step] * times;
    }
  }
}

}  // namespace

void DenseProduct::Room::grow(std::size_t wanted) {
  if (wanted <= size) return;
  data = std::make_unique_for_overwrite<double[]>(wanted);
  size = wanted;
}

void DenseProduct::reserve(int rows, int inner) {
  const int depth = std::min(inner, kInner);
  packed_a_.grow(packed_size(std::min(rows, kRows), depth, kernels_->row_tile));
  packed_b_.grow(packed_size(std::min(rows, kColumns), depth, kernels_->column_tile));
}

// Packs tile by tile: all rows of one column, then those of the next; zeros below the last row.
const double* DenseProduct::pack(const DensePart& part, const Range& range, int tile, Pack pack,
                                 double factor, const double* d, double* packed) {
  const double* const d_of_range = d ? d + range.column : nullptr;
  const double* const data = part.data + static_cast<std::ptrdiff_t>(range.column) * part.stride +
                             static_cast<std::ptrdiff_t>(range.row) * part.step;
  for (int row = 0; row < range.rows; row += tile) {
    double* to = packed + static_cast<std::ptrdiff_t>(row) * range.columns;
    const double* const from = data + static_cast<std::ptrdiff_t>(row) * part.step;
    const int count = std::min(tile, range.rows - row);
    if (part.step == 1) {
      pack(count, range.columns, from, part.stride, factor, d_of_range, to);
      continue;
    }
    for (int k = 0; k < range.columns; ++k, to += tile) {
      const double scale = d ? factor * d_of_range[k] : factor;
      const double* const column = from + static_cast<std::ptrdiff_t>(k) * part.stride;
      for (int i = 0; i < count; ++i)
        to[i] = scale * column[static_cast<std::ptrdiff_t>(i) * part.step];
      for (int i = count; i < tile; ++i) to[i] = 0.0;
    }
  }
  return packed;
}

void DenseProduct::add_tiles(const double* left, const double* right, const Range& a,
                             const Range& b, double* c, int stride, bool lower) const {
  const int row_tile = kernels_->row_tile, column_tile = kernels_->column_tile;
  for (int j = 0; j < b.rows; j += column_tile) {
    const int column = b.row + j, columns = std::min(column_tile, b.rows - j);
    for (int i = 0; i < a.rows; i += row_tile) {
      const int row = a.row + i;
      if (lower && row + row_tile <= column) continue;
      kernels_->subtract_tile(a.columns, left + static_cast<std::ptrdiff_t>(i) * a.columns,
                              right + static_cast<std::ptrdiff_t>(j) * a.columns,
                              c + static_cast<std::ptrdiff_t>(column) * stride + row, stride,
                              std::min(row_tile, a.rows - i), columns);
    }
  }
}

void DenseProduct::add(double factor, const DensePart& a, const DensePart& b, int inner,
                       const double* d, double* c, int stride, bool lower) {
  if (static_cast<double>(a.rows) * b.rows * inner < kTinyProduct)
    return add_plainly(factor, a, b, inner, d, c, stride, lower);
  reserve(std::max(a.rows, b.rows), inner);
  for (int j = 0; j < b.rows; j += kColumns) {
    for (int k = 0; k < inner; k += kInner) {
      const int depth = std::min(kInner, inner - k);
      const Range of_b{j, std::min(kColumns, b.rows - j), k, depth};
      // The kernels subtract.
      const double* right = pack(b, of_b, kernels_->column_tile, kernels_->pack_columns, -factor, d,
                                 packed_b_.data.get());
      for (int i = lower ? j : 0; i < a.rows; i += kRows) {
        const Range of_a{i, std::min(kRows, a.rows - i), k, depth};
        const double* left = pack(a, of_a, kernels_->row_tile, kernels_->pack_rows, 1.0, nullptr,
                                  packed_a_.data.get());
        add_tiles(left, right, of_a, of_b, c, stride, lower);
      }
    }
  }
}

}  // namespace perp
