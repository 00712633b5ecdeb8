#include <perp/formulations/dynamics/congruence.hpp>

#include <algorithm>
#include <vector>

namespace perp {

namespace {

// A sparse vector that is summed in a dense one.
class Gathered {
 public:
  explicit Gathered(int size) : values_(size, 0.0), present_(size, 0) {}

  void add(int i, double value) {
    if (!present_[i]) {
      present_[i] = 1;
      places_.push_back(i);
    }
    values_[i] += value;
  }
  /// Calls f(i, value) for every entry, in order, and forgets them.
  template <class F>
  void take(const F& f) {
    std::sort(places_.begin(), places_.end());
    for (const int i : places_) {
      f(i, values_[i]);
      values_[i] = 0.0;
      present_[i] = 0;
    }
    places_.clear();
  }

 private:
  std::vector<double> values_;
  std::vector<char> present_;
  std::vector<int> places_;
};

struct Entry {
  int row, column;
  double value;
};

// The lower half of B A B', sorted by columns, then by rows.
std::vector<Entry> lower_half(const SparseMatrix& b, const SparseMatrix& a) {
  const SparseMatrix rows = b.transpose();  // the rows of B as columns
  const int n = static_cast<int>(b.rows()), m = static_cast<int>(b.cols());
  Gathered spread(m), column(n);
  // Of each column of B: the first entry that is not above the diagonal.
  std::vector<int> first(b.outerIndexPtr(), b.outerIndexPtr() + m);
  std::vector<Entry> entries;
  for (int j = 0; j < n; ++j) {
    for (SparseMatrix::InnerIterator it(rows, j); it; ++it) {
      for (SparseMatrix::InnerIterator at(a, it.row()); at; ++at)
        spread.add(static_cast<int>(at.row()), at.value() * it.value());
    }
    spread.take([&](int k, double value) {
      const int end = b.outerIndexPtr()[k + 1];
      while (first[k] < end && b.innerIndexPtr()[first[k]] < j) ++first[k];
      for (int at = first[k]; at < end; ++at)
        column.add(b.innerIndexPtr()[at], b.valuePtr()[at] * value);
    });
    column.take([&](int i, double value) {
      if (value != 0.0) entries.push_back({i, j, value});
    });
  }
  return entries;
}

}  // namespace

SparseMatrix congruence(const SparseMatrix& b, const SparseMatrix& a) {
  const int n = static_cast<int>(b.rows());
  const std::vector<Entry> lower = lower_half(b, a);
  SparseMatrix result(n, n);
  std::vector<int> next(static_cast<std::size_t>(n) + 1, 0);
  for (const Entry& e : lower) {
    ++next[e.column + 1];
    if (e.row != e.column) ++next[e.row + 1];
  }
  for (int j = 0; j < n; ++j) next[j + 1] += next[j];
  std::copy(next.begin(), next.end(), result.outerIndexPtr());
  result.resizeNonZeros(next[n]);
  const auto put = [&](int row, int column, double value) {
    const int at = next[column]++;
    result.innerIndexPtr()[at] = row;
    result.valuePtr()[at] = value;
  };
  // The entries of a column above its diagonal come from the columns before it.
  for (const Entry& e : lower) {
    put(e.row, e.column, e.value);
    if (e.row != e.column) put(e.column, e.row, e.value);
  }
  return result;
}

}  // namespace perp
