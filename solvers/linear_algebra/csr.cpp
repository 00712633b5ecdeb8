#include <perp/solvers/linear_algebra/csr.hpp>

#include <algorithm>

namespace perp {

namespace {

// Turns counts into starts: start[i + 1] is at first the number of entries of row i.
void add_up(std::vector<int>& start) {
  for (std::size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];
}

// Filling moves the start of each row to that of the next one; this moves them back.
void move_back(std::vector<int>& start) {
  for (std::size_t i = start.size() - 1; i > 0; --i) start[i] = start[i - 1];
  start[0] = 0;
}

}  // namespace

void to_csr(const SparseMatrix& a, Csr& result) {
  result.rows = static_cast<int>(a.rows());
  result.cols = static_cast<int>(a.cols());
  result.start.assign(a.rows() + 1, 0);
  result.column.resize(a.nonZeros());
  result.value.resize(a.nonZeros());
  for (int j = 0; j < result.cols; ++j) {
    for (SparseMatrix::InnerIterator it(a, j); it; ++it) ++result.start[it.row() + 1];
  }
  add_up(result.start);
  for (int j = 0; j < result.cols; ++j) {
    for (SparseMatrix::InnerIterator it(a, j); it; ++it) {
      const int place = result.start[it.row()]++;
      result.column[place] = j;
      result.value[place] = it.value();
    }
  }
  move_back(result.start);
}

void transpose(const Csr& a, Csr& t) {
  t.rows = a.cols;
  t.cols = a.rows;
  t.start.assign(t.rows + 1, 0);
  for (int j : a.column) ++t.start[j + 1];
  add_up(t.start);
  t.column.resize(a.column.size());
  t.value.resize(a.value.size());
  for (int i = 0; i < a.rows; ++i) {
    for (int k = a.start[i]; k < a.start[i + 1]; ++k) {
      const int place = t.start[a.column[k]]++;
      t.column[place] = i;
      t.value[place] = a.value[k];
    }
  }
  move_back(t.start);
}

void multiply(const Csr& a, const Csr& b, CsrWorkspace& work, Csr& c) {
  c.rows = a.rows;
  c.cols = b.cols;
  c.start.assign(1, 0);
  c.column.clear();
  c.value.clear();
  work.sums.assign(b.cols, 0.0);
  work.seen.assign(b.cols, -1);
  for (int i = 0; i < a.rows; ++i) {
    work.columns.clear();
    for (int k = a.start[i]; k < a.start[i + 1]; ++k) {
      const int j = a.column[k];
      for (int l = b.start[j]; l < b.start[j + 1]; ++l) {
        const int column = b.column[l];
        if (work.seen[column] != i) {
          work.seen[column] = i;
          work.columns.push_back(column);
        }
        work.sums[column] += a.value[k] * b.value[l];
      }
    }
    std::sort(work.columns.begin(), work.columns.end());
    for (int column : work.columns) {
      c.column.push_back(column);
      c.value.push_back(work.sums[column]);
      work.sums[column] = 0.0;
    }
    c.start.push_back(static_cast<int>(c.column.size()));
  }
}

void galerkin(const Csr& restriction, const Csr& a, const Csr& prolongation,
              const std::vector<char>& mask, Csr& coarse, std::vector<double>& scratch) {
  const bool all = mask.empty();
  for (int row = 0; row < coarse.rows; ++row) {
    for (int k = restriction.start[row]; k < restriction.start[row + 1]; ++k) {
      const int i = restriction.column[k];
      if (!all && !mask[i]) continue;
      for (int l = a.start[i]; l < a.start[i + 1]; ++l) {
        const int j = a.column[l];
        if (!all && !mask[j]) continue;
        const double product = restriction.value[k] * a.value[l];
        for (int m = prolongation.start[j]; m < prolongation.start[j + 1]; ++m) {
          scratch[prolongation.column[m]] += product * prolongation.value[m];
        }
      }
    }
    for (int k = coarse.start[row]; k < coarse.start[row + 1]; ++k) {
      coarse.value[k] = scratch[coarse.column[k]];
      scratch[coarse.column[k]] = 0.0;
    }
  }
}

}  // namespace perp
