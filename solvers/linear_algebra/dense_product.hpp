// Products of dense blocks, by packed tiles.
#pragma once

#include <cstddef>
#include <memory>
#include <perp/solvers/linear_algebra/dense_kernels.hpp>

namespace perp {

/// The size of the first half when a factorisation halves more than kNarrow columns: a multiple of
/// kNarrow.
constexpr int first_half(int columns) { return (columns / 2 + kNarrow - 1) / kNarrow * kNarrow; }

/// A part of a dense matrix: its columns are `stride` values apart, its rows `step`.
struct DensePart {
  const double* data;
  int rows, stride, step = 1;
};

/// Columns whose factorisation takes far longer than a look at the time.
inline constexpr int kColumnsWorthALook = 256;

/// C := C + f A D B', the main work of block factorisations. A and B are packed into tiles that
/// stay in the caches [GotoVandeGeijn2008].
class DenseProduct {
 public:
  explicit DenseProduct(const DenseKernels& kernels = dense_kernels()) : kernels_(&kernels) {}

  /// Allocates work space; add() then allocates nothing for factors of at most `rows` rows and
  /// `inner` columns.
  void reserve(int rows, int inner);

  /// @param factor f @param inner number of columns of a and b
  /// @param d the diagonal of D, `inner` values; null: D = I
  /// @param c a.rows rows and b.rows columns, which are `stride` apart; must not overlap a or b
  /// @param lower if true, only the lower triangle of C is computed; what is above it is undefined
  void add(double factor, const DensePart& a, const DensePart& b, int inner, const double* d,
           double* c, int stride, bool lower);

 private:
  /// Memory for packed tiles. It is not initialised, so that the system provides only the pages
  /// that are used: most of the reserved ones never are.
  struct Room {
    void grow(std::size_t wanted);
    std::unique_ptr<double[]> data;
    std::size_t size = 0;
  };
  /// Some rows and columns of a factor.
  struct Range {
    int row, rows, column, columns;
  };
  using Pack = decltype(DenseKernels::pack_rows);
  static const double* pack(const DensePart& part, const Range& range, int tile, Pack pack,
                            double factor, const double* d, double* packed);
  void add_tiles(const double* left, const double* right, const Range& a, const Range& b, double* c,
                 int stride, bool lower) const;

  const DenseKernels* kernels_;
  Room packed_a_, packed_b_;
};

}  // namespace perp
