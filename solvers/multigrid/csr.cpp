#include <perp/solvers/multigrid/csr.hpp>

#include <algorithm>

namespace perp {

Csr to_csr(const SparseMatrix& a) {
  const Eigen::SparseMatrix<double, Eigen::RowMajor, int> rows = a;
  Csr result;
  result.rows = static_cast<int>(a.rows());
  result.cols = static_cast<int>(a.cols());
  result.start.assign(rows.outerIndexPtr(), rows.outerIndexPtr() + rows.rows() + 1);
  result.column.assign(rows.innerIndexPtr(), rows.innerIndexPtr() + rows.nonZeros());
  result.value.assign(rows.valuePtr(), rows.valuePtr() + rows.nonZeros());
  return result;
}

Csr transpose(const Csr& a) {
  Csr t;
  t.rows = a.cols;
  t.cols = a.rows;
  t.start.assign(t.rows + 1, 0);
  for (int j : a.column) ++t.start[j + 1];
  for (int j = 0; j < t.rows; ++j) t.start[j + 1] += t.start[j];
  t.column.resize(a.column.size());
  t.value.resize(a.value.size());
  std::vector<int> next(t.start.begin(), t.start.end() - 1);
  for (int i = 0; i < a.rows; ++i) {
    for (int k = a.start[i]; k < a.start[i + 1]; ++k) {
      const int place = next[a.column[k]]++;
      t.column[place] = i;
      t.value[place] = a.value[k];
    }
  }
  return t;
}

// Row by row [Gustavson1978].
Csr multiply(const Csr& a, const Csr& b) {
  Csr c;
  c.rows = a.rows;
  c.cols = b.cols;
  c.start.assign(1, 0);
  std::vector<double> sums(b.cols, 0.0);
  std::vector<int> seen(b.cols, -1), columns;
  for (int i = 0; i < a.rows; ++i) {
    columns.clear();
    for (int k = a.start[i]; k < a.start[i + 1]; ++k) {
      const int j = a.column[k];
      for (int l = b.start[j]; l < b.start[j + 1]; ++l) {
        const int column = b.column[l];
        if (seen[column] != i) {
          seen[column] = i;
          columns.push_back(column);
        }
        sums[column] += a.value[k] * b.value[l];
      }
    }
    std::sort(columns.begin(), columns.end());
    for (int column : columns) {
      c.column.push_back(column);
      c.value.push_back(sums[column]);
      sums[column] = 0.0;
    }
    c.start.push_back(static_cast<int>(c.column.size()));
  }
  return c;
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
