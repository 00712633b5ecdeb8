#include <perp/problems/matrix/congruence.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace perp {

namespace {

constexpr int kWidth = 3;  // columns in a group: a body has three or six velocities

// Consecutive rows of B with entries in the same groups of columns, as a dense matrix. The contacts
// of a pair of bodies are such rows. Columns of the matrix are contiguous.
struct Run {
  int first = 0, count = 0;
  std::vector<int> groups;     // ascending
  std::vector<double> values;  // count values for each column of each group

  const double* column(std::size_t slot) const { return &values[kWidth * slot * count]; }
};

// A run with entries in a group of columns, and the place of the group in the run.
struct Place {
  int run, slot;
};

class Rows {
 public:
  explicit Rows(const SparseMatrix& b) : places_((b.cols() + kWidth - 1) / kWidth) {
    const SparseMatrix rows = b.transpose();  // the rows of B as columns
    std::vector<int> groups;
    for (int j = 0; j < rows.cols(); ++j) {
      groups.clear();
      for (SparseMatrix::InnerIterator it(rows, j); it; ++it) {
        const int group = static_cast<int>(it.row()) / kWidth;
        if (groups.empty() || groups.back() != group) groups.push_back(group);
      }
      if (runs_.empty() || runs_.back().groups != groups) runs_.push_back({j, 0, groups, {}});
      ++runs_.back().count;
    }
    for (int r = 0; r < size(); ++r) {
      fill(runs_[r], rows);
      for (std::size_t s = 0; s < runs_[r].groups.size(); ++s)
        places_[runs_[r].groups[s]].push_back({r, static_cast<int>(s)});
    }
  }

  int size() const { return static_cast<int>(runs_.size()); }
  const Run& operator[](int r) const { return runs_[r]; }
  /// The runs with entries in a group of columns, ascending.
  const std::vector<Place>& with(int group) const { return places_[group]; }
  int groups() const { return static_cast<int>(places_.size()); }

 private:
  static void fill(Run& run, const SparseMatrix& rows) {
    run.values.assign(kWidth * run.groups.size() * run.count, 0.0);
    for (int i = 0; i < run.count; ++i) {
      std::size_t slot = 0;
      for (SparseMatrix::InnerIterator it(rows, run.first + i); it; ++it) {
        const int column = static_cast<int>(it.row());
        while (run.groups[slot] != column / kWidth) ++slot;
        run.values[(kWidth * slot + column % kWidth) * run.count + i] = it.value();
      }
    }
  }

  std::vector<Run> runs_;
  std::vector<std::vector<Place>> places_;
};

// The block of B A B' in the rows of one run and the columns of another; columns contiguous.
struct Block {
  int rows, columns;  // the runs
  std::size_t first;  // of its values
};

// The blocks on and below the diagonal.
class LowerHalf {
 public:
  LowerHalf(const Rows& rows, const SparseMatrix& a)
      : rows_(rows), place_(rows.groups(), -1), found_(rows.size(), -1) {
    for (int p = 0; p < rows.size(); ++p) {
      spread(rows[p], a);
      multiply(p);
    }
  }

  const std::vector<Block>& blocks() const { return blocks_; }
  const double* values(const Block& block) const { return &values_[block.first]; }

 private:
  // R A for the rows R of a run, in the groups that it reaches.
  void spread(const Run& run, const SparseMatrix& a) {
    for (const int group : reached_) place_[group] = -1;
    reached_.clear();
    const auto for_entries = [&](const auto& f) {
      for (std::size_t s = 0; s < run.groups.size(); ++s) {
        for (int k = 0; k < kWidth; ++k) {
          const int column = kWidth * run.groups[s] + k;
          if (column >= a.cols()) break;
          const double* const r = run.column(s) + static_cast<std::ptrdiff_t>(k) * run.count;
          for (SparseMatrix::InnerIterator it(a, column); it; ++it)
            f(static_cast<int>(it.row()), it.value(), r);
        }
      }
    };
    for_entries([&](int row, double, const double*) {
      if (place_[row / kWidth] >= 0) return;
      place_[row / kWidth] = 0;
      reached_.push_back(row / kWidth);
    });
    std::sort(reached_.begin(), reached_.end());
    for (std::size_t g = 0; g < reached_.size(); ++g) place_[reached_[g]] = static_cast<int>(g);
    spread_.assign(kWidth * reached_.size() * run.count, 0.0);
    for_entries([&](int row, double value, const double* r) {
      double* const to =
          &spread_[(kWidth * static_cast<std::size_t>(place_[row / kWidth]) + row % kWidth) *
                   run.count];
      for (int i = 0; i < run.count; ++i) to[i] += value * r[i];
    });
  }

  // The blocks in the columns of run p.
  void multiply(int p) {
    const std::size_t begin = blocks_.size();
    const auto at_or_after = [](const Place& place, int run) { return place.run < run; };
    for (const int group : reached_) {
      const std::vector<Place>& all = rows_.with(group);
      for (auto q = std::lower_bound(all.begin(), all.end(), p, at_or_after); q != all.end(); ++q) {
        if (found_[q->run] < 0) add_block(q->run, p);
      }
    }
    for (std::size_t g = 0; g < reached_.size(); ++g) {
      const std::vector<Place>& all = rows_.with(reached_[g]);
      for (auto q = std::lower_bound(all.begin(), all.end(), p, at_or_after); q != all.end(); ++q)
        add_product(rows_[q->run], q->slot, rows_[p].count, g, &values_[found_place(q->run)]);
    }
    std::sort(blocks_.begin() + static_cast<std::ptrdiff_t>(begin), blocks_.end(),
              [](const Block& x, const Block& y) { return x.rows < y.rows; });
    for (std::size_t k = begin; k < blocks_.size(); ++k) found_[blocks_[k].rows] = -1;
  }

  void add_block(int q, int p) {
    found_[q] = static_cast<std::ptrdiff_t>(values_.size());
    blocks_.push_back({q, p, values_.size()});
    values_.resize(values_.size() + static_cast<std::size_t>(rows_[q].count) *
                                        static_cast<std::size_t>(rows_[p].count));
  }
  std::size_t found_place(int q) const { return static_cast<std::size_t>(found_[q]); }

  // Adds the part of a group, column after column as for single entries.
  void add_product(const Run& q, int slot, int columns, std::size_t g, double* to) const {
    const int n = q.count;
    const double* const r = q.column(static_cast<std::size_t>(slot));
    const double* const s = &spread_[kWidth * g * columns];
    for (int j = 0; j < columns; ++j, to += n) {
      const double s0 = s[j], s1 = s[columns + j], s2 = s[2 * columns + j];
      for (int i = 0; i < n; ++i) to[i] = ((to[i] + r[i] * s0) + r[n + i] * s1) + r[2 * n + i] * s2;
    }
  }

  const Rows& rows_;
  std::vector<int> place_;             // of a group in reached_, or -1
  std::vector<int> reached_;           // groups of columns of R A
  std::vector<double> spread_;         // R A, like Run::values
  std::vector<std::ptrdiff_t> found_;  // of a run: where the values of its block begin, or -1
  std::vector<Block> blocks_;
  std::vector<double> values_;
};

}  // namespace

SparseMatrix congruence(const SparseMatrix& b, const SparseMatrix& a) {
  const int n = static_cast<int>(b.rows());
  const Rows rows(b);
  const LowerHalf lower(rows, a);
  // Calls f(row, column, value) for the entries that are not zero, on and below the diagonal. The
  // entries of a column above its diagonal are those of columns before it, mirrored.
  const auto for_entries = [&](const auto& f) {
    for (const Block& block : lower.blocks()) {
      const Run &q = rows[block.rows], &p = rows[block.columns];
      const double* const values = lower.values(block);
      for (int j = 0; j < p.count; ++j) {
        for (int i = block.rows == block.columns ? j : 0; i < q.count; ++i) {
          const double value = values[static_cast<std::ptrdiff_t>(j) * q.count + i];
          if (value != 0.0) f(q.first + i, p.first + j, value);
        }
      }
    }
  };
  SparseMatrix result(n, n);
  std::vector<int> next(static_cast<std::size_t>(n) + 1, 0);
  for_entries([&](int row, int column, double) {
    ++next[column + 1];
    if (row != column) ++next[row + 1];
  });
  for (int j = 0; j < n; ++j) next[j + 1] += next[j];
  std::copy(next.begin(), next.end(), result.outerIndexPtr());
  result.resizeNonZeros(next[n]);
  int* const places = result.innerIndexPtr();
  double* const values = result.valuePtr();
  for_entries([&](int row, int column, double value) {
    int at = next[column]++;
    places[at] = row;
    values[at] = value;
    if (row == column) return;
    at = next[row]++;
    places[at] = column;
    values[at] = value;
  });
  return result;
}

}  // namespace perp
