#include <perp/solvers/linear_algebra/supernodal_lu.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <perp/problems/limits/current_deadline.hpp>
#include <perp/solvers/linear_algebra/symmetric_pattern.hpp>

namespace perp {

namespace {

constexpr double kLuRounding = 1e-13, kUsable = 1e-10;
constexpr int kLuRefinements = 3;

// y := y - A x and y := y - A' x
void subtract_product(int rows, int columns, const double* a, int stride, const double* x,
                      double* y) {
  dense_kernels().subtract_product(rows, columns, a, stride, x, y);
}
void subtract_product(int rows, int columns, const float* a, int stride, const double* x,
                      double* y) {
  dense_kernels().subtract_single_product(rows, columns, a, stride, x, y);
}
void subtract_transposed(int rows, int columns, const double* a, int stride, const double* x,
                         double* y) {
  dense_kernels().subtract_transposed(rows, columns, a, stride, x, y);
}
void subtract_transposed(int rows, int columns, const float* a, int stride, const double* x,
                         double* y) {
  dense_kernels().subtract_single_transposed(rows, columns, a, stride, x, y);
}

}  // namespace

// Orders the unknowns and finds the fronts.
void SupernodalLu::analyse() {
  find_fronts();
  place_entries();
}

void SupernodalLu::find_fronts() {
  const SymmetricPattern pattern = symmetric_pattern(a_.size, a_.starts, a_.rows);
  tree_ = assembly_tree(pattern.starts, pattern.rows, pattern.groups);
  runs_ = assembly_runs(tree_);
  upper_at_.clear();
  long upper_size = 0;
  for (const Front& front : tree_.fronts) {
    upper_at_.push_back(upper_size);
    upper_size += static_cast<long>(front.size - front.pivots) * front.pivots;
  }
  factors_.lower.resize(tree_.panel_size);
  factors_.upper.resize(upper_size);
  updates_.resize(tree_.updates_size);
  swaps_.resize(a_.size);
  for (std::vector<double>* v : {&side_, &residual_, &work_}) v->resize(a_.size);
  gathered_.resize(tree_.most_rows);
  block_.reserve(tree_.most_pivots);
  product_.reserve(tree_.most_rows, tree_.most_pivots);
}

// Finds the place of every entry of A: in the front that eliminates its row or its column first.
void SupernodalLu::place_entries() {
  const int fronts = static_cast<int>(tree_.fronts.size());
  std::vector<int> front_of(a_.size);
  for (int f = 0; f < fronts; ++f) {
    for (int i = 0; i < tree_.fronts[f].pivots; ++i) front_of[tree_.fronts[f].first + i] = f;
  }
  struct Place {
    int entry, row, column;  // in the new order
  };
  std::vector<std::vector<Place>> columns_of(fronts), rows_of(fronts);
  for (int j = 0; j < a_.size; ++j) {
    const int column = tree_.position[j];
    for (int k = a_.starts[j]; k < a_.starts[j + 1]; ++k) {
      const int row = tree_.position[a_.rows[k]];
      const int of_row = front_of[row], of_column = front_of[column];
      if (of_column <= of_row) {
        columns_of[of_column].push_back({k, row, column});
      } else {
        rows_of[of_row].push_back({k, row, column});
      }
    }
  }
  Entries& e = entries_;
  e = {};
  std::vector<int> local(a_.size, -1);
  for (int f = 0; f < fronts; ++f) {
    const Front& front = tree_.fronts[f];
    const int below = front.size - front.pivots;
    for (int i = 0; i < front.size; ++i) local[tree_.rows[front.rows + i]] = i;
    e.starts.push_back(static_cast<int>(e.places.size()));
    for (const Place& p : columns_of[f]) {
      e.of_matrix.push_back(p.entry);
      e.places.push_back(front.panel + static_cast<long>(p.column - front.first) * front.size +
                         local[p.row]);
    }
    e.upper_starts.push_back(static_cast<int>(e.places.size()));
    for (const Place& p : rows_of[f]) {
      e.of_matrix.push_back(p.entry);
      e.places.push_back(upper_at_[f] + static_cast<long>(p.row - front.first) * below +
                         local[p.column] - front.pivots);
    }
  }
  e.starts.push_back(static_cast<int>(e.places.size()));
}

void SupernodalLu::assemble_entries(int f) {
  for (int p = entries_.starts[f]; p < entries_.upper_starts[f]; ++p)
    factors_.lower[entries_.places[p]] += a_.values[entries_.of_matrix[p]];
  for (int p = entries_.upper_starts[f]; p < entries_.starts[f + 1]; ++p)
    factors_.upper[entries_.places[p]] += a_.values[entries_.of_matrix[p]];
}

// Adds the update of a child to the rows and columns of its parent and to the parent's update.
void SupernodalLu::assemble_child(int c, const double* block, int f, double* update) {
  const Front &child = tree_.fronts[c], &front = tree_.fronts[f];
  const int rest = child.size - child.pivots, below = front.size - front.pivots;
  double* const upper = factors_.upper.data() + upper_at_[f];
  const auto first = runs_.list.begin() + runs_.starts[c];
  const auto last = runs_.list.begin() + runs_.starts[c + 1];
  for (auto columns = first; columns != last; ++columns) {
    for (int j = 0; j < columns->count; ++j) {
      const int column = columns->to + j;
      const double* const from = block + static_cast<long>(columns->from + j) * rest;
      const bool own = column < front.pivots;
      double* const to =
          own ? lower(front) + static_cast<long>(column) * front.size
              : update + static_cast<long>(column - front.pivots) * below - front.pivots;
      for (auto rows = first; rows != last; ++rows) {
        const double* const x = from + rows->from;
        if (!own && rows->to < front.pivots) {  // runs end at the pivots
          double* const y = upper + static_cast<long>(rows->to) * below + column - front.pivots;
          for (int i = 0; i < rows->count; ++i) y[static_cast<long>(i) * below] += x[i];
        } else {
          double* const y = to + rows->to;
          for (int i = 0; i < rows->count; ++i) y[i] += x[i];
        }
      }
    }
  }
}

// For the rows of the front's other unknowns, `pivots` columns wide: solves X L11' = A in the
// columns begin .. end. The contributions of the columns before must be subtracted already.
void SupernodalLu::eliminate_rows(const Front& front, double* rows, int begin, int end) {
  const int below = front.size - front.pivots, n = front.size;
  const double* const l = lower(front);
  const auto at = [&](int i, int j) { return l + static_cast<long>(j) * n + i; };
  if (end - begin > kNarrow) {
    const int middle = begin + first_half(end - begin);
    eliminate_rows(front, rows, begin, middle);
    product_.add(-1.0, {rows + static_cast<long>(begin) * below, below, below},
                 {at(middle, begin), end - middle, n}, middle - begin, nullptr,
                 rows + static_cast<long>(middle) * below, below, false);
    return eliminate_rows(front, rows, middle, end);
  }
  static constexpr double kOnes[kNarrow] = {1, 1, 1, 1, 1, 1, 1, 1};
  dense_kernels().divide_rows(below, end - begin, rows + static_cast<long>(begin) * below, below,
                              at(begin, begin), n, kOnes);
}

// The same for the columns of the front's own unknowns below the pivots: X U11 = A.
void SupernodalLu::eliminate_columns(const Front& front, int begin, int end) {
  const int below = front.size - front.pivots, n = front.size;
  double* const panel = lower(front);
  const auto at = [&](int i, int j) { return panel + static_cast<long>(j) * n + i; };
  if (end - begin > kNarrow) {
    const int middle = begin + first_half(end - begin);
    eliminate_columns(front, begin, middle);
    product_.add(-1.0, {at(front.pivots, begin), below, n}, {at(begin, middle), end - middle, 1, n},
                 middle - begin, nullptr, at(front.pivots, middle), n, false);
    return eliminate_columns(front, middle, end);
  }
  // X U = X D L' with L' = D^-1 U.
  double l[kNarrow * kNarrow], inverses[kNarrow];
  const int width = end - begin;
  for (int j = 0; j < width; ++j) {
    inverses[j] = 1.0 / *at(begin + j, begin + j);
    for (int i = j; i < width; ++i) l[j * kNarrow + i] = *at(begin + j, begin + i) * inverses[j];
  }
  dense_kernels().divide_rows(below, width, at(front.pivots, begin), n, l, kNarrow, inverses);
}

// Eliminates the pivots of a front: L below them and U beside them.
bool SupernodalLu::eliminate(int f) {
  const Front& front = tree_.fronts[f];
  const int p = front.pivots, n = front.size, below = n - p;
  double* const matrix = block_.matrix(p);
  double* const panel = lower(front);
  for (int j = 0; j < p; ++j)
    std::copy_n(panel + static_cast<long>(j) * n, p, matrix + static_cast<long>(j) * p);
  if (!block_.factor()) return false;
  for (int j = 0; j < p; ++j)
    std::copy_n(matrix + static_cast<long>(j) * p, p, panel + static_cast<long>(j) * n);
  std::copy_n(block_.swaps(), p, swaps_.data() + front.first);
  if (below == 0) return true;
  double* const rows = factors_.upper.data() + upper_at_[f];
  for (int k = 0; k < p; ++k) {
    const int other = block_.swaps()[k];
    if (other != k)
      std::swap_ranges(rows + static_cast<long>(k) * below, rows + static_cast<long>(k + 1) * below,
                       rows + static_cast<long>(other) * below);
  }
  eliminate_rows(front, rows, 0, p);
  eliminate_columns(front, 0, p);
  return true;
}

bool SupernodalLu::factor(const SquareColumns& matrix) {
  analysed_ &= a_.has_pattern_of(matrix);
  a_ = matrix;
  has_single_ = false;
  if (!analysed_) analyse();
  analysed_ = true;
  std::fill(factors_.lower.begin(), factors_.lower.end(), 0.0);
  std::fill(factors_.upper.begin(), factors_.upper.end(), 0.0);
  for (int f = 0; f < static_cast<int>(tree_.fronts.size()); ++f) {
    if (f % 16 == 15 && CurrentDeadline::passed()) return false;
    const Front& front = tree_.fronts[f];
    const int below = front.size - front.pivots;
    double* const update = updates_.data() + front.update;
    std::fill_n(update, front.update_size(), 0.0);
    assemble_entries(f);
    for (int c = tree_.first_child[f]; c >= 0; c = tree_.next_child[c])
      assemble_child(c, updates_.data() + tree_.fronts[c].update, f, update);
    if (!eliminate(f)) return false;
    if (below > 0) {
      product_.add(-1.0, {lower(front) + front.pivots, below, front.size},
                   {factors_.upper.data() + upper_at_[f], below, below}, front.pivots, nullptr,
                   update, below, false);
    }
  }
  return solves_ones();
}

// Whether pivots inside the fronts were good enough: A x = A (1, ..., 1)' is solved to rounding.
bool SupernodalLu::solves_ones() {
  std::fill(side_.begin(), side_.end(), 0.0);
  for (int j = 0; j < a_.size; ++j) {
    for (int k = a_.starts[j]; k < a_.starts[j + 1]; ++k) side_[a_.rows[k]] += a_.values[k];
  }
  std::copy(side_.begin(), side_.end(), residual_.begin());
  substitute(factors_, residual_.data());
  gathered_.resize(std::max(gathered_.size(), residual_.size()));
  std::copy(residual_.begin(), residual_.end(), gathered_.begin());
  return residual(gathered_.data()) <= kUsable;
}

// x := A^-1 x by the factors, without refinement.
template <class T>
void SupernodalLu::substitute(const Factors<T>& factors, double* x) {
  const int fronts = static_cast<int>(tree_.fronts.size());
  const T *const lower = factors.lower.data(), *const upper = factors.upper.data();
  for (int k = 0; k < a_.size; ++k) work_[k] = x[tree_.order[k]];
  for (const Front& front : tree_.fronts) divide_by_lower(front, lower + front.panel);
  for (int f = fronts - 1; f >= 0; --f)
    divide_by_upper(tree_.fronts[f], lower + tree_.fronts[f].panel, upper + upper_at_[f]);
  for (int k = 0; k < a_.size; ++k) x[tree_.order[k]] = work_[k];
}

// Rounds the factors to single precision if no number is too large for it and no pivot too small.
void SupernodalLu::round_factors() {
  using Limits = std::numeric_limits<float>;
  const auto fits = [](double x) { return std::abs(x) <= Limits::max(); };
  has_single_ = true;
  fits_single_ = std::all_of(factors_.lower.begin(), factors_.lower.end(), fits) &&
                 std::all_of(factors_.upper.begin(), factors_.upper.end(), fits);
  for (const Front& front : tree_.fronts) {
    for (int j = 0; j < front.pivots; ++j) {
      const double pivot = lower(front)[static_cast<long>(j) * (front.size + 1)];
      fits_single_ = fits_single_ && std::abs(pivot) >= Limits::min();
    }
  }
  if (!fits_single_) return;
  single_.lower.assign(factors_.lower.begin(), factors_.lower.end());
  single_.upper.assign(factors_.upper.begin(), factors_.upper.end());
}

void SupernodalLu::substitute(double* x) {
  if (!has_single_) round_factors();
  if (fits_single_) {
    substitute(single_, x);
  } else {
    substitute(factors_, x);
  }
}

// The part of work_ := L^-1 work_ by the columns of a front.
template <class T>
void SupernodalLu::divide_by_lower(const Front& front, const T* lower) {
  const int p = front.pivots, n = front.size;
  double* const own = work_.data() + front.first;
  for (int k = 0; k < p; ++k) std::swap(own[k], own[swaps_[front.first + k]]);
  double* const x = gathered_.data();
  std::copy_n(own, p, x);
  std::fill(x + p, x + n, 0.0);
  for (int begin = 0; begin < p; begin += kNarrow) {
    const int end = std::min(begin + kNarrow, p);
    const T* const panel = lower + static_cast<long>(begin) * n;
    for (int j = begin; j < end; ++j) {
      const T* const column = panel + static_cast<long>(j - begin) * n;
      for (int i = j + 1; i < end; ++i) x[i] -= column[i] * x[j];
    }
    subtract_product(n - end, end - begin, panel + end, n, x + begin, x + end);
  }
  std::copy_n(x, p, own);
  const int* const rows = tree_.rows.data() + front.rows;
  for (int i = p; i < n; ++i) work_[rows[i]] += x[i];
}

// The part of work_ := U^-1 work_ by the rows of a front.
template <class T>
void SupernodalLu::divide_by_upper(const Front& front, const T* lower, const T* upper) {
  const int p = front.pivots, n = front.size, below = n - p;
  const int* const rows = tree_.rows.data() + front.rows;
  double* const x = gathered_.data();
  for (int i = 0; i < n; ++i) x[i] = work_[rows[i]];
  subtract_transposed(below, p, upper, below, x + p, x);
  for (int begin = (p - 1) / kNarrow * kNarrow; begin >= 0; begin -= kNarrow) {
    const int end = std::min(begin + kNarrow, p);
    const T* const panel = lower + static_cast<long>(begin) * n;
    for (int j = end - 1; j >= begin; --j) {
      const T* const column = panel + static_cast<long>(j - begin) * n;
      x[j] /= column[j];
      for (int i = begin; i < j; ++i) x[i] -= column[i] * x[j];
    }
    subtract_product(begin, end - begin, panel, n, x + begin, x);
  }
  std::copy_n(x, p, work_.data() + front.first);
}

// residual_ := side_ - A x. @return its largest entry over the largest one of |A| |x| + |side_|
double SupernodalLu::residual(const double* x) {
  for (int i = 0; i < a_.size; ++i) {
    residual_[i] = side_[i];
    work_[i] = std::abs(side_[i]);
  }
  for (int j = 0; j < a_.size; ++j) {
    for (int k = a_.starts[j]; k < a_.starts[j + 1]; ++k) {
      const double product = a_.values[k] * x[j];
      residual_[a_.rows[k]] -= product;
      work_[a_.rows[k]] += std::abs(product);
    }
  }
  double error = 0.0, scale = 0.0;
  for (int i = 0; i < a_.size; ++i) {
    if (!std::isfinite(residual_[i])) return residual_[i] - residual_[i];  // NaN
    error = std::max(error, std::abs(residual_[i]));
    scale = std::max(scale, work_[i]);
  }
  return scale > 0 ? error / scale : 0.0;
}

void SupernodalLu::solve(double* x) {
  std::copy_n(x, a_.size, side_.begin());
  substitute(factors_, x);
  for (int k = 0; k < kLuRefinements && residual(x) > kLuRounding; ++k) {
    substitute(factors_, residual_.data());
    for (int i = 0; i < a_.size; ++i) x[i] += residual_[i];
  }
}

}  // namespace perp
