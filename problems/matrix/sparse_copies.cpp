#include <perp/problems/matrix/sparse_copies.hpp>

#include <algorithm>
#include <cstring>

namespace perp {

namespace {

// An empty compressed matrix with room for `entries`; what it held is lost.
template <class Sparse>
void make_room(int rows, int cols, long entries, Sparse& to) {
  to.resize(rows, cols);
  to.resizeNonZeros(entries);
}

// The entries of a, gathered by rows: the arrays of a' by columns and of a by rows are the same.
template <class Sparse>
void gather_by_rows(const SparseMatrix& a, Sparse& to) {
  int* const starts = to.outerIndexPtr();
  const int rows = static_cast<int>(a.rows());
  std::fill_n(starts, rows + 1, 0);
  for (int k = 0; k < a.nonZeros(); ++k) ++starts[a.innerIndexPtr()[k] + 1];
  for (int i = 0; i < rows; ++i) starts[i + 1] += starts[i];
  for (int j = 0; j < a.cols(); ++j) {
    for (SparseMatrix::InnerIterator it(a, j); it; ++it) {
      const int at = starts[it.row()]++;  // shifted back below
      to.innerIndexPtr()[at] = j;
      to.valuePtr()[at] = it.value();
    }
  }
  for (int i = rows; i > 0; --i) starts[i] = starts[i - 1];
  starts[0] = 0;
}

}  // namespace

void copy_nonzeros(const Matrix& a, SparseMatrix& to) {
  make_room(a.rows(), a.cols(), a.nonzeros(), to);
  int at = 0;
  for (int j = 0; j < a.cols(); ++j) {
    to.outerIndexPtr()[j] = at;
    a.for_column(j, [&](int row, double value) {
      to.innerIndexPtr()[at] = row;
      to.valuePtr()[at++] = value;
    });
  }
  to.outerIndexPtr()[a.cols()] = at;
}

void transpose(const SparseMatrix& a, SparseMatrix& to) {
  make_room(static_cast<int>(a.cols()), static_cast<int>(a.rows()), a.nonZeros(), to);
  gather_by_rows(a, to);
}

void copy_by_rows(const SparseMatrix& a, RowSparseMatrix& to) {
  make_room(static_cast<int>(a.rows()), static_cast<int>(a.cols()), a.nonZeros(), to);
  gather_by_rows(a, to);
}

void copy_symmetric_part(const SparseMatrix& a, SparseMatrix& transposed, SparseMatrix& to) {
  transpose(a, transposed);
  // Calls f(row, sum) for the entries of both, column by column.
  const auto merge = [&](int j, const auto& f) {
    SparseMatrix::InnerIterator x(a, j), y(transposed, j);
    while (x || y) {
      if (!y || (x && x.row() < y.row())) {
        f(static_cast<int>(x.row()), 0.5 * x.value());
        ++x;
      } else if (!x || y.row() < x.row()) {
        f(static_cast<int>(y.row()), 0.5 * y.value());
        ++y;
      } else {
        f(static_cast<int>(x.row()), 0.5 * (x.value() + y.value()));
        ++x;
        ++y;
      }
    }
  };
  long entries = 0;
  for (int j = 0; j < a.cols(); ++j) merge(j, [&](int, double) { ++entries; });
  make_room(static_cast<int>(a.rows()), static_cast<int>(a.cols()), entries, to);
  int at = 0;
  for (int j = 0; j < a.cols(); ++j) {
    to.outerIndexPtr()[j] = at;
    merge(j, [&](int row, double value) {
      to.innerIndexPtr()[at] = row;
      to.valuePtr()[at++] = value;
    });
  }
  to.outerIndexPtr()[a.cols()] = at;
}

bool same_pattern(const SparseMatrix& a, const SparseMatrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && a.nonZeros() == b.nonZeros() &&
         std::equal(a.outerIndexPtr(), a.outerIndexPtr() + a.cols() + 1, b.outerIndexPtr()) &&
         std::equal(a.innerIndexPtr(), a.innerIndexPtr() + a.nonZeros(), b.innerIndexPtr());
}

bool same_bits(const double* a, const double* b, std::ptrdiff_t count) {
  return count == 0 || std::memcmp(a, b, static_cast<std::size_t>(count) * sizeof(double)) == 0;
}

bool same_bits(const Vector& a, const Vector& b) {
  return a.size() == b.size() && same_bits(a.data(), b.data(), a.size());
}

bool same_entries(const Matrix& a, const Matrix& b) {
  if (a.shares(b)) return true;
  if (a.is_sparse() != b.is_sparse()) return false;
  if (!a.is_sparse()) return a.rows() == b.rows() && a.cols() == b.cols() && a.dense() == b.dense();
  const SparseMatrix &x = a.sparse(), &y = b.sparse();
  if (!same_pattern(x, y)) return false;
  // Bits are compared many at a time.
  return same_bits(x.valuePtr(), y.valuePtr(), x.nonZeros()) ||
         std::equal(x.valuePtr(), x.valuePtr() + x.nonZeros(), y.valuePtr());
}

}  // namespace perp
