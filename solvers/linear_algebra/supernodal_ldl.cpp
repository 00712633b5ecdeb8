#include <perp/solvers/linear_algebra/supernodal_ldl.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

namespace perp {

namespace {

// Of smaller shares, handing them out takes a good part of the time.
constexpr double kShareOfProduct = 1e5;  // multiplications
constexpr double kShareOfEntries = 1e4;  // entries of a front that children add to
constexpr int kColumnsTogether = 8;      // a multiple of the column tiles of all kernels

// x := L^-1 x for the unit lower triangle L of a narrow block, and x := L'^-1 x.
void solve_narrow(const double* l, int stride, int width, double* x) {
  for (int j = 0; j < width; ++j, l += stride) {
    for (int i = j + 1; i < width; ++i) x[i] -= l[i] * x[j];
  }
}

void solve_narrow_transposed(const double* l, int stride, int width, double* x) {
  for (int j = width - 1; j >= 0; --j) {
    const double* column = l + static_cast<long>(j) * stride;
    for (int i = j + 1; i < width; ++i) x[j] -= column[i] * x[i];
  }
}

// Cuts `columns` columns, the first ones of a lower triangle of `rows` rows, into shares of about
// the same number of entries, if the team has several threads and the work pays: work(k, begin,
// end) for the share of thread k.
template <class F>
void share_columns(ThreadTeam* team, int rows, int columns, bool pays, const F& work) {
  const int shares = team && pays ? team->size() : 1;
  if (shares == 1) return work(0, 0, columns);
  // The columns before that of share k have k of so many shares of the entries.
  const auto first_of = [&](int k) {
    if (k == shares) return columns;
    const double height = rows, all = columns * (height - 0.5 * columns);
    const double column = height - std::sqrt(height * height - 2.0 * all * k / shares);
    return static_cast<int>(column / kColumnsTogether + 0.5) * kColumnsTogether;
  };
  team->run([&](int k) {
    const int begin = first_of(k), end = std::min(first_of(k + 1), columns);
    if (begin < end) work(k, begin, end);
  });
}

}  // namespace

void SupernodalLdl::analyse(int size, const std::vector<int>& starts, const std::vector<int>& rows,
                            const std::vector<signed char>& signs, const std::vector<int>& groups,
                            const std::vector<int>& order, int threads) {
  std::vector<int> each_alone(groups.empty() ? size : 0);
  std::iota(each_alone.begin(), each_alone.end(), 0);
  tree_ = assembly_tree(starts, rows, groups.empty() ? each_alone : groups, order, threads);
  signs_.resize(size);
  for (int k = 0; k < size; ++k) signs_[k] = signs[tree_.order[k]];
  place_entries(starts, rows);
  runs_ = assembly_runs(tree_);
  panels_.resize(tree_.panel_size);
  updates_.resize(tree_.updates_size);
  workers_.resize(tree_.subtrees.empty() ? 1 : static_cast<std::size_t>(threads));
  for (Worker& worker : workers_) worker.product.reserve(tree_.most_rows, tree_.most_pivots);
  pivots_.resize(size);
  work_.resize(size);
  values_.resize(tree_.rows.size());
}

// Finds the front and the place of every entry of the pattern.
void SupernodalLdl::place_entries(const std::vector<int>& starts, const std::vector<int>& rows) {
  const int size = static_cast<int>(tree_.order.size());
  const int fronts = static_cast<int>(tree_.fronts.size());
  std::vector<int> front_of(size);
  for (int f = 0; f < fronts; ++f) {
    const Front& front = tree_.fronts[f];
    for (int i = 0; i < front.pivots; ++i) front_of[front.first + i] = f;
  }
  std::vector<int> low(rows.size()), high(rows.size());
  for (int j = 0; j < size; ++j) {
    for (int k = starts[j]; k < starts[j + 1]; ++k) {
      low[k] = std::min(tree_.position[rows[k]], tree_.position[j]);
      high[k] = std::max(tree_.position[rows[k]], tree_.position[j]);
    }
  }
  Entries& e = entries_;
  e.starts.assign(fronts + 1, 0);
  for (std::size_t k = 0; k < rows.size(); ++k) ++e.starts[front_of[low[k]] + 1];
  for (int f = 0; f < fronts; ++f) e.starts[f + 1] += e.starts[f];
  std::vector<int> next(e.starts.begin(), e.starts.end() - 1);
  e.of_pattern.resize(rows.size());
  e.places.resize(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k)
    e.of_pattern[next[front_of[low[k]]]++] = static_cast<int>(k);
  std::vector<int> local(size, -1);
  for (int f = 0; f < fronts; ++f) {
    const Front& front = tree_.fronts[f];
    for (int i = 0; i < front.size; ++i) local[tree_.rows[front.rows + i]] = i;
    for (int p = e.starts[f]; p < e.starts[f + 1]; ++p) {
      const int k = e.of_pattern[p];
      e.places[p] =
          front.panel + static_cast<long>(low[k] - front.first) * front.size + local[high[k]];
    }
  }
}

// The entries of a column of a front, pivots and update, from its first row on.
double* SupernodalLdl::column_of(const Front& front, int column) {
  if (column < front.pivots)
    return panels_.data() + front.panel + static_cast<long>(column) * front.size;
  const long below = front.size - front.pivots;
  return updates_.data() + front.update + (column - front.pivots) * below - front.pivots;
}

void SupernodalLdl::clear_columns(const Front& front, const Columns& columns) {
  for (int j = columns.begin; j < columns.end; ++j) {
    double* const column = column_of(front, j);
    std::fill(column + j, column + front.size, 0.0);
  }
}

// Writes the update of a child to some columns of a front whose entries have no values yet, and 0
// to all other entries of these columns: each comes into the caches once, not twice as if zeros
// came first.
void SupernodalLdl::assign_child(int c, const Front& front, const Columns& some) {
  const Front& child = tree_.fronts[c];
  const int rest = child.size - child.pivots;
  const double* const block = updates_.data() + child.update;
  const AssemblyRuns::Run* const last = runs_.list.data() + runs_.starts[c + 1];
  int next = some.begin;  // first column without values
  for (const AssemblyRuns::Run* run = runs_.list.data() + runs_.starts[c]; run != last; ++run) {
    const int end = std::min(run->to + run->count, some.end);
    for (int column = std::max(run->to, some.begin); column < end; ++column) {
      if (next < column) clear_columns(front, {next, column});
      next = column + 1;
      const int j = column - run->to;
      const double* const from = block + static_cast<long>(run->from + j) * rest;
      double* const to = column_of(front, column);
      int row = column;
      for (const AssemblyRuns::Run* rows = run; rows != last; ++rows) {
        const int skipped = rows == run ? j : 0;
        std::fill(to + row, to + rows->to + skipped, 0.0);
        std::copy(from + rows->from + skipped, from + rows->from + rows->count,
                  to + rows->to + skipped);
        row = rows->to + rows->count;
      }
      std::fill(to + row, to + front.size, 0.0);
    }
  }
  clear_columns(front, {next, some.end});
}

// Adds the update of a child to some columns of its parent, pivots and update.
void SupernodalLdl::add_child(int c, const Front& front, const Columns& some) {
  const Front& child = tree_.fronts[c];
  const int rest = child.size - child.pivots;
  const double* const block = updates_.data() + child.update;
  const AssemblyRuns::Run* const last = runs_.list.data() + runs_.starts[c + 1];
  for (const AssemblyRuns::Run* run = runs_.list.data() + runs_.starts[c]; run != last; ++run) {
    const int end = std::min(run->to + run->count, some.end);
    for (int column = std::max(run->to, some.begin); column < end; ++column) {
      const int j = column - run->to;
      const double* const from = block + static_cast<long>(run->from + j) * rest;
      double* const to = column_of(front, column);
      for (const AssemblyRuns::Run* rows = run; rows != last; ++rows) {
        const int skipped = rows == run ? j : 0;
        const double* x = from + rows->from;
        double* y = to + rows->to;
        for (int i = skipped; i < rows->count; ++i) y[i] += x[i];
      }
    }
  }
}

// Gathers what a front is before its elimination: entries of the matrix, and what its children
// leave.
void SupernodalLdl::assemble(int f, const std::vector<double>& values, const Worker& worker) {
  const Front& front = tree_.fronts[f];
  const int first = tree_.first_child[f];
  const double size = front.size;
  const bool pays = worker.team && size * size >= 2.0 * kShareOfEntries * worker.team->size();
  share_columns(worker.team, front.size, front.size, pays, [&](int, int begin, int end) {
    if (first < 0) return clear_columns(front, {begin, end});
    assign_child(first, front, {begin, end});
    for (int c = tree_.next_child[first]; c >= 0; c = tree_.next_child[c])
      add_child(c, front, {begin, end});
  });
  for (int e = entries_.starts[f]; e < entries_.starts[f + 1]; ++e)
    panels_[entries_.places[e]] += values[entries_.of_pattern[e]];
}

bool SupernodalLdl::factor(const std::vector<double>& values, double least, double substitute) {
  const Floor floor{least, substitute};
  for (Worker& worker : workers_) worker.substituted = {};
  substituted_ = {};
  if (!tree_.subtrees.empty()) {
    if (!factor_by_threads(values, floor)) return false;
  } else {
    for (const int f : tree_.above) {
      if (!eliminate(f, values, floor, workers_[0])) return false;
    }
  }
  for (const Worker& worker : workers_) substituted_.add(worker.substituted);
  return true;
}

bool SupernodalLdl::factor_by_threads(const std::vector<double>& values, const Floor& floor) {
  ThreadTeam team(static_cast<int>(workers_.size()));
  if (!visit_subtrees(team, true, [&](int f, int k) {
        return eliminate(f, values, floor, workers_[static_cast<std::size_t>(k)]);
      }))
    return false;
  workers_[0].team = &team;
  const bool works = std::all_of(tree_.above.begin(), tree_.above.end(),
                                 [&](int f) { return eliminate(f, values, floor, workers_[0]); });
  workers_[0].team = nullptr;
  return works;
}

bool SupernodalLdl::eliminate(int f, const std::vector<double>& values, const Floor& floor,
                              Worker& worker) {
  const Front& front = tree_.fronts[f];
  assemble(f, values, worker);
  if (!factor_columns(front, 0, front.pivots, floor, worker)) return false;
  leave_update(front, worker);
  return true;
}

// Computes the update that a front leaves: its rows below without the pivots' contributions.
void SupernodalLdl::leave_update(const Front& front, Worker& worker) {
  const int below = front.size - front.pivots;
  if (below == 0) return;
  subtract_product({panels_.data() + front.panel + front.pivots, below, front.size}, below,
                   front.pivots, pivots_.data() + front.first, updates_.data() + front.update,
                   below, worker);
}

// C := C - L D L1', the lower triangle of its first columns; L1 has as many of the first rows of L.
void SupernodalLdl::subtract_product(const DensePart& l, int columns, int inner, const double* d,
                                     double* c, int stride, Worker& worker) {
  const double work = static_cast<double>(l.rows) * columns * inner;
  const bool pays = worker.team && work >= kShareOfProduct * worker.team->size();
  share_columns(worker.team, l.rows, columns, pays, [&](int k, int begin, int end) {
    Worker& one = worker.team ? workers_[static_cast<std::size_t>(k)] : worker;
    one.product.add(-1.0, {l.data + begin, l.rows - begin, l.stride},
                    {l.data + begin, end - begin, l.stride}, inner, d,
                    c + static_cast<long>(begin) * stride + begin, stride, true);
  });
}

// Computes L D L' of some pivots of a front, and L of all rows below them.
bool SupernodalLdl::factor_columns(const Front& front, int begin, int end, const Floor& floor,
                                   Worker& worker) {
  if (end - begin <= kNarrow) return factor_narrow(front, begin, end, floor, worker);
  const int middle = begin + first_half(end - begin), n = front.size;
  if (!factor_columns(front, begin, middle, floor, worker)) return false;
  double* const panel = panels_.data() + front.panel;
  subtract_product({panel + static_cast<long>(begin) * n + middle, n - middle, n}, end - middle,
                   middle - begin, pivots_.data() + front.first + begin,
                   panel + static_cast<long>(middle) * n + middle, n, worker);
  return factor_columns(front, middle, end, floor, worker);
}

// The same of kNarrow pivots at most: their own rows one by one, then those below.
bool SupernodalLdl::factor_narrow(const Front& front, int begin, int end, const Floor& floor,
                                  Worker& worker) {
  const long n = front.size;
  const int width = end - begin;
  double* const block = panels_.data() + front.panel + begin * n + begin;
  double inverses[kNarrow];
  for (int j = 0; j < width; ++j) {
    double* const column = block + j * n;
    if (!std::isfinite(column[j])) return false;
    const int k = front.first + begin + j;
    pivots_[k] = kept_pivot(k, column[j], floor, worker.substituted);
    inverses[j] = 1.0 / pivots_[k];
    for (int c = j + 1; c < width; ++c) {
      const double factor = column[c] * inverses[j];
      for (int i = c; i < width; ++i) block[c * n + i] -= factor * column[i];
    }
    for (int i = j + 1; i < width; ++i) column[i] *= inverses[j];
  }
  dense_kernels().divide_rows(front.size - end, width, block + width, front.size, block, front.size,
                              inverses);
  return true;
}

double SupernodalLdl::kept_pivot(int k, double pivot, const Floor& floor,
                                 Substituted& substituted) const {
  if (pivot * signs_[k] >= floor.least) return pivot;
  substituted.add({1, k, tree_.order[k], pivot});
  return signs_[k] * floor.substitute;
}

void SupernodalLdl::Substituted::add(const Substituted& others) {
  if (others.count == 0) return;
  if (count == 0 || others.place < place) {
    place = others.place;
    row = others.row;
    first = others.first;
  }
  count += others.count;
}

// Visits the fronts of the subtrees, each subtree on one thread: visit(front, thread). Children
// come before their parents, or parents first. @return false if a visit did; then no other one
// begins
template <class F>
bool SupernodalLdl::visit_subtrees(ThreadTeam& team, bool upwards, const F& visit) const {
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> fails = false;
  team.run([&](int thread) {
    for (std::size_t s = next++; s < tree_.subtrees.size(); s = next++) {
      const auto [begin, end] = tree_.subtrees[s];
      for (int k = 0; k < end - begin; ++k) {
        if (fails) return;
        if (!visit(upwards ? begin + k : end - 1 - k, thread)) fails = true;
      }
    }
  });
  return !fails;
}

// Work space for the values of a front's rows, for one right-hand side.
double* SupernodalLdl::values_of(const Front& front, int side) const {
  return values_.data() + side * tree_.rows.size() + front.rows;
}

// Forward through a front: its values become those of its pivots, then what its subtree takes off
// the rows below.
void SupernodalLdl::solve_forward(int f, int count) const {
  const DenseKernels& kernels = dense_kernels();
  const Front& front = tree_.fronts[f];
  const double* const panel = panels_.data() + front.panel;
  const int n = front.size;
  const std::size_t size = tree_.order.size();
  for (int c = 0; c < count; ++c) {
    double* const x = values_of(front, c);
    std::copy_n(work_.data() + c * size + front.first, front.pivots, x);
    std::fill(x + front.pivots, x + n, 0.0);
    for (int k = tree_.first_child[f]; k >= 0; k = tree_.next_child[k]) {
      const double* const below = values_of(tree_.fronts[k], c) + tree_.fronts[k].pivots;
      for (int r = runs_.starts[k]; r < runs_.starts[k + 1]; ++r) {
        const AssemblyRuns::Run& run = runs_.list[r];
        for (int i = 0; i < run.count; ++i) x[run.to + i] += below[run.from + i];
      }
    }
  }
  for (int begin = 0; begin < front.pivots; begin += kNarrow) {
    const int end = std::min(begin + kNarrow, front.pivots);
    const double* const block = panel + static_cast<long>(begin) * n;
    for (int c = 0; c < count; ++c) {
      double* const x = values_of(front, c);
      solve_narrow(block + begin, n, end - begin, x + begin);
      kernels.subtract_product(n - end, end - begin, block + end, n, x + begin, x + end);
    }
  }
  for (int c = 0; c < count; ++c)
    std::copy_n(values_of(front, c), front.pivots, work_.data() + c * size + front.first);
}

void SupernodalLdl::solve_backward(int f, int count) const {
  const DenseKernels& kernels = dense_kernels();
  const Front& front = tree_.fronts[f];
  const double* const panel = panels_.data() + front.panel;
  const int n = front.size;
  const std::size_t size = tree_.order.size();
  const int* const rows = tree_.rows.data() + front.rows;
  for (int c = 0; c < count; ++c) {
    double* const x = values_of(front, c);
    for (int i = 0; i < n; ++i) x[i] = work_[c * size + rows[i]];
  }
  for (int begin = (front.pivots - 1) / kNarrow * kNarrow; begin >= 0; begin -= kNarrow) {
    const int end = std::min(begin + kNarrow, front.pivots);
    const double* const block = panel + static_cast<long>(begin) * n;
    for (int c = 0; c < count; ++c) {
      double* const x = values_of(front, c);
      kernels.subtract_transposed(n - end, end - begin, block + end, n, x + end, x + begin);
      solve_narrow_transposed(block + begin, n, end - begin, x + begin);
    }
  }
  for (int c = 0; c < count; ++c)
    std::copy_n(values_of(front, c), front.pivots, work_.data() + c * size + front.first);
}

void SupernodalLdl::solve(double* x, int count) const {
  const std::size_t size = tree_.order.size();
  if (work_.size() < count * size) {
    work_.resize(count * size);
    values_.resize(static_cast<std::size_t>(count) * tree_.rows.size());
  }
  for (int c = 0; c < count; ++c) {
    for (std::size_t k = 0; k < size; ++k) work_[c * size + k] = x[c * size + tree_.order[k]];
  }
  ThreadTeam team(static_cast<int>(workers_.size()));
  visit_subtrees(team, true, [&](int f, int) {
    solve_forward(f, count);
    return true;
  });
  for (const int f : tree_.above) solve_forward(f, count);
  for (int c = 0; c < count; ++c) {
    for (std::size_t k = 0; k < size; ++k) work_[c * size + k] /= pivots_[k];
  }
  for (auto f = tree_.above.rbegin(); f != tree_.above.rend(); ++f) solve_backward(*f, count);
  visit_subtrees(team, false, [&](int f, int) {
    solve_backward(f, count);
    return true;
  });
  for (int c = 0; c < count; ++c) {
    for (std::size_t k = 0; k < size; ++k) x[c * size + tree_.order[k]] = work_[c * size + k];
  }
}

}  // namespace perp
