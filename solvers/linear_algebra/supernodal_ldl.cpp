#include <perp/solvers/linear_algebra/supernodal_ldl.hpp>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace perp {

namespace {

using Block = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

constexpr int kPanel = 32;  // columns that are eliminated before the others see them

Block block_at(double* data, int rows, int cols, int stride) {
  return {data, rows, cols, Eigen::OuterStride<>(stride)};
}

}  // namespace

void SupernodalLdl::analyse(int size, const std::vector<int>& starts, const std::vector<int>& rows,
                            const std::vector<signed char>& signs, const std::vector<int>& groups) {
  std::vector<int> each_alone(groups.empty() ? size : 0);
  std::iota(each_alone.begin(), each_alone.end(), 0);
  tree_ = assembly_tree(starts, rows, groups.empty() ? each_alone : groups);
  signs_.resize(size);
  for (int k = 0; k < size; ++k) signs_[k] = signs[tree_.order[k]];
  place_entries(starts, rows);
  panels_.resize(tree_.panel_size);
  stack_.resize(tree_.stack_size);
  scaled_.resize(static_cast<std::size_t>(tree_.most_rows) *
                 static_cast<std::size_t>(tree_.most_pivots));
  gathered_.resize(tree_.most_rows);
  pivots_.resize(size);
  work_.resize(size);
  local_.resize(size);
}

// Where every entry of the pattern goes.
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

// Adds what a child leaves to the panel of its parent and to what that leaves in turn.
void SupernodalLdl::assemble_child(const Front& child, const double* block, const Front& front,
                                   double* update) {
  const int rest = child.size - child.pivots, below = front.size - front.pivots;
  const int* rows = tree_.rows.data() + child.rows + child.pivots;
  for (int j = 0; j < rest; ++j) {
    const int column = local_[rows[j]];
    const double* from = block + static_cast<long>(j) * rest;
    double* to = column < front.pivots
                     ? panels_.data() + front.panel + static_cast<long>(column) * front.size
                     : update + static_cast<long>(column - front.pivots) * below - front.pivots;
    for (int i = j; i < rest; ++i) to[local_[rows[i]]] += from[i];
  }
}

// The children's updates are the last ones on the stack, in their order. @return their entries
long SupernodalLdl::gather_children(int f, double* update) {
  const Front& front = tree_.fronts[f];
  for (int i = 0; i < front.size; ++i) local_[tree_.rows[front.rows + i]] = i;
  long taken = 0;
  for (int c = tree_.first_child[f]; c >= 0; c = tree_.next_child[c])
    taken += tree_.fronts[c].update_size();
  const double* block = update - taken;
  for (int c = tree_.first_child[f]; c >= 0; c = tree_.next_child[c]) {
    assemble_child(tree_.fronts[c], block, front, update);
    block += tree_.fronts[c].update_size();
  }
  return taken;
}

// The rows below: what is left of them without the pivots.
void SupernodalLdl::leave_update(const Front& front, double* update) {
  const int below = front.size - front.pivots;
  if (below == 0) return;
  const Block l =
      block_at(panels_.data() + front.panel + front.pivots, below, front.pivots, front.size);
  Block scaled = block_at(scaled_.data(), below, front.pivots, below);
  for (int j = 0; j < front.pivots; ++j) scaled.col(j) = l.col(j) * pivots_[front.first + j];
  Block left = block_at(update, below, below, below);
  left.triangularView<Eigen::Lower>() -= l * scaled.transpose();
}

bool SupernodalLdl::factor(const std::vector<double>& values, double least, double substitute) {
  std::fill(panels_.begin(), panels_.end(), 0.0);
  substituted_ = 0;
  long top = 0;  // of the stack
  for (int f = 0; f < static_cast<int>(tree_.fronts.size()); ++f) {
    const Front& front = tree_.fronts[f];
    for (int e = entries_.starts[f]; e < entries_.starts[f + 1]; ++e)
      panels_[entries_.places[e]] += values[entries_.of_pattern[e]];
    double* update = stack_.data() + top;
    std::fill(update, update + front.update_size(), 0.0);
    const long taken = gather_children(f, update);
    if (!factor_panel(front, least, substitute)) return false;
    leave_update(front, update);
    top -= taken;
    if (taken > 0) {
      std::memmove(stack_.data() + top, update,
                   static_cast<std::size_t>(front.update_size()) * sizeof(double));
    }
    top += front.update_size();
  }
  return true;
}

// L D L' of the pivots of a front, and L of the rows below them.
bool SupernodalLdl::factor_panel(const Front& front, double least, double substitute) {
  const int n = front.size;
  double* panel = panels_.data() + front.panel;
  for (int begin = 0; begin < front.pivots; begin += kPanel) {
    const int width = std::min(kPanel, front.pivots - begin), end = begin + width;
    for (int j = begin; j < end; ++j) {
      double* column = panel + static_cast<long>(j) * n;
      double pivot = column[j];
      if (!std::isfinite(pivot)) return false;
      const int sign = signs_[front.first + j];
      if (!(pivot * sign >= least)) {
        pivot = sign * substitute;
        ++substituted_;
      }
      pivots_[front.first + j] = pivot;
      const double inverse = 1.0 / pivot;
      for (int k = j + 1; k < end; ++k) {  // within the block
        double* other = panel + static_cast<long>(k) * n;
        const double factor = column[k] * inverse;
        if (factor == 0.0) continue;
        Eigen::Map<Eigen::VectorXd>(other + k, n - k) -=
            factor * Eigen::Map<const Eigen::VectorXd>(column + k, n - k);
      }
      Eigen::Map<Eigen::VectorXd>(column + j + 1, n - j - 1) *= inverse;
    }
    const int left = front.pivots - end;
    if (left == 0) continue;
    const Block l = block_at(panel + static_cast<long>(begin) * n + end, n - end, width, n);
    Block scaled = block_at(scaled_.data(), left, width, left);
    for (int j = 0; j < width; ++j)
      scaled.col(j) = l.col(j).head(left) * pivots_[front.first + begin + j];
    block_at(panel + static_cast<long>(end) * n + end, n - end, left, n).noalias() -=
        l * scaled.transpose();
  }
  return true;
}

void SupernodalLdl::solve(double* x) const {
  const int size = static_cast<int>(tree_.order.size());
  for (int k = 0; k < size; ++k) work_[k] = x[tree_.order[k]];
  const auto maps = [&](const Front& front) {
    const double* panel = panels_.data() + front.panel;
    using ConstBlock = Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
    return std::pair(
        ConstBlock(panel, front.pivots, front.pivots, Eigen::OuterStride<>(front.size)),
        ConstBlock(panel + front.pivots, front.size - front.pivots, front.pivots,
                   Eigen::OuterStride<>(front.size)));
  };
  for (const Front& front : tree_.fronts) {
    const auto [l11, l21] = maps(front);
    Eigen::Map<Eigen::VectorXd> own(work_.data() + front.first, front.pivots);
    l11.triangularView<Eigen::UnitLower>().solveInPlace(own);
    const int below = front.size - front.pivots;
    Eigen::Map<Eigen::VectorXd> g(gathered_.data(), below);
    g.noalias() = l21 * own;
    const int* rows = tree_.rows.data() + front.rows + front.pivots;
    for (int i = 0; i < below; ++i) work_[rows[i]] -= g[i];
  }
  for (int k = 0; k < size; ++k) work_[k] /= pivots_[k];
  for (auto it = tree_.fronts.rbegin(); it != tree_.fronts.rend(); ++it) {
    const auto [l11, l21] = maps(*it);
    Eigen::Map<Eigen::VectorXd> own(work_.data() + it->first, it->pivots);
    const int below = it->size - it->pivots;
    const int* rows = tree_.rows.data() + it->rows + it->pivots;
    Eigen::Map<Eigen::VectorXd> g(gathered_.data(), below);
    for (int i = 0; i < below; ++i) g[i] = work_[rows[i]];
    own.noalias() -= l21.transpose() * g;
    l11.triangularView<Eigen::UnitLower>().transpose().solveInPlace(own);
  }
  for (int k = 0; k < size; ++k) x[tree_.order[k]] = work_[k];
}

}  // namespace perp
