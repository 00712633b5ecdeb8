#include <perp/solvers/linear_algebra/supernodal_ldl.hpp>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <cstring>

namespace perp {

namespace {

using Block = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

constexpr int kPanel = 32;          // columns that are eliminated before the others see them
constexpr int kSmallFront = 16;     // pivots: smaller supernodes are merged more readily
constexpr double kFewZeros = 0.15;  // share of a merged panel that may be zeros
constexpr double kSomeZeros = 0.4;  // the same for small ones

Block block_at(double* data, int rows, int cols, int stride) {
  return {data, rows, cols, Eigen::OuterStride<>(stride)};
}

// Nodes of an elimination tree with children before parents, and of the children of one parent
// that with most rows last, so that it can be merged into it.
std::vector<int> postorder(const std::vector<int>& parent, const std::vector<int>& weight) {
  const int n = static_cast<int>(parent.size());
  std::vector<int> by_weight(n), head(n + 1, -1), next(n, -1), result;
  for (int k = 0; k < n; ++k) by_weight[k] = k;
  // Pushed to the front of their lists: the heaviest first, so that it ends up last.
  std::stable_sort(by_weight.begin(), by_weight.end(),
                   [&](int a, int b) { return weight[a] > weight[b]; });
  for (const int k : by_weight) {
    int& list = head[parent[k] < 0 ? n : parent[k]];
    next[k] = list;
    list = k;
  }
  result.reserve(n);
  std::vector<int> stack;
  for (int root = head[n]; root >= 0; root = next[root]) {
    stack.push_back(root);
    while (!stack.empty()) {
      const int node = stack.back();
      if (head[node] >= 0) {
        stack.push_back(head[node]);
        head[node] = next[head[node]];
      } else {
        result.push_back(node);
        stack.pop_back();
      }
    }
  }
  return result;
}

}  // namespace

void SupernodalLdl::analyse(int size, const std::vector<int>& starts, const std::vector<int>& rows,
                            const std::vector<signed char>& signs, const std::vector<int>& groups) {
  size_ = size;
  group_of_ = groups;
  if (groups.empty()) {
    group_of_.resize(size);
    for (int i = 0; i < size; ++i) group_of_[i] = i;
  }
  const int count = size == 0 ? 0 : 1 + *std::max_element(group_of_.begin(), group_of_.end());
  group_sizes_.assign(count, 0);
  for (const int g : group_of_) ++group_sizes_[g];
  order_groups(starts, rows);
  build_fronts(starts, rows);
  signs_.resize(size);
  for (int k = 0; k < size; ++k) signs_[k] = signs[order_[k]];
  place_entries(starts, rows);
  panels_.resize(panel_size_);
  stack_.resize(stack_size_);
  pivots_.resize(size);
  work_.resize(size);
  local_.resize(size);
}

// Approximate minimum degree order of the groups.
void SupernodalLdl::order_groups(const std::vector<int>& starts, const std::vector<int>& rows) {
  const int count = static_cast<int>(group_sizes_.size());
  std::vector<Eigen::Triplet<double, int>> entries;
  entries.reserve(2 * rows.size());
  for (int j = 0; j < size_; ++j) {
    for (int k = starts[j]; k < starts[j + 1]; ++k) {
      const int a = group_of_[rows[k]], b = group_of_[j];
      entries.emplace_back(a, b, 1.0);
      if (a != b) entries.emplace_back(b, a, 1.0);
    }
  }
  Eigen::SparseMatrix<double, Eigen::ColMajor, int> pattern(count, count);
  pattern.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  Eigen::AMDOrdering<int>()(pattern, order);
  group_order_.assign(order.indices().data(), order.indices().data() + count);
}

// Groups that each one is coupled with and that stand before it in the order.
SupernodalLdl::Lists SupernodalLdl::neighbours_before(const std::vector<int>& starts,
                                                      const std::vector<int>& rows) const {
  std::vector<int> place(group_order_.size());
  for (std::size_t k = 0; k < group_order_.size(); ++k)
    place[group_order_[k]] = static_cast<int>(k);
  Lists before(group_order_.size());
  for (int j = 0; j < size_; ++j) {
    for (int k = starts[j]; k < starts[j + 1]; ++k) {
      const int a = place[group_of_[rows[k]]], b = place[group_of_[j]];
      if (a != b) before[std::max(a, b)].push_back(std::min(a, b));
    }
  }
  for (std::vector<int>& list : before) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return before;
}

// The elimination tree, along whose postorder groups and unknowns are numbered anew.
std::vector<int> SupernodalLdl::build_tree(const std::vector<int>& starts,
                                           const std::vector<int>& rows) {
  const int count = static_cast<int>(group_sizes_.size());
  const Lists before = neighbours_before(starts, rows);
  std::vector<int> parent(count, -1), mark(count, -1), weight(count, 0);
  for (int k = 0; k < count; ++k) {
    mark[k] = k;
    for (int i : before[k]) {
      for (; mark[i] != k; i = parent[i]) {
        if (parent[i] < 0) parent[i] = k;
        weight[i] += group_sizes_[group_order_[k]];
        mark[i] = k;
      }
    }
  }
  const std::vector<int> post = postorder(parent, weight);
  std::vector<int> renumbered(count), order(count), tree(count);
  for (int k = 0; k < count; ++k) renumbered[post[k]] = k;
  for (int k = 0; k < count; ++k) {
    order[k] = group_order_[post[k]];
    tree[k] = parent[post[k]] < 0 ? -1 : renumbered[parent[post[k]]];
  }
  group_order_ = std::move(order);
  group_first_.assign(count + 1, 0);
  std::vector<int> next(count);
  for (int k = 0; k < count; ++k) {
    group_first_[k + 1] = group_first_[k] + group_sizes_[group_order_[k]];
    next[group_order_[k]] = group_first_[k];
  }
  order_.resize(size_);
  position_.resize(size_);
  for (int i = 0; i < size_; ++i) {
    position_[i] = next[group_of_[i]]++;
    order_[position_[i]] = i;
  }
  return tree;
}

// A group joins the supernode of the group before it where that is its child and few zeros are
// stored for it.
std::vector<SupernodalLdl::Supernode> SupernodalLdl::find_supernodes(const std::vector<int>& parent,
                                                                     const Lists& before) const {
  const int count = static_cast<int>(parent.size());
  Lists below(count), children(count);  // coupled groups that follow; supernodes
  for (int k = 0; k < count; ++k) {
    for (const int i : before[k]) below[i].push_back(k);
  }
  std::vector<Supernode> made;
  std::vector<int> mark(count, -1);
  const auto unknowns = [&](const std::vector<int>& groups) {
    long sum = 0;
    for (const int g : groups) sum += group_first_[g + 1] - group_first_[g];
    return sum;
  };
  for (int k = 0; k < count; ++k) {
    Supernode node{k, k, group_first_[k + 1] - group_first_[k], 0, {}};
    mark[k] = k;
    const auto add = [&](const std::vector<int>& groups) {
      for (const int g : groups) {
        if (mark[g] != k) node.rows.push_back(g);
        mark[g] = k;
      }
    };
    add(below[k]);
    for (const int c : children[k]) add(made[c].rows);
    const long height = node.pivots + unknowns(node.rows);
    bool merged = false;
    if (!made.empty() && made.back().last == k - 1 && parent[k - 1] == k) {
      const Supernode& child = made.back();
      const int pivots = child.pivots + node.pivots;
      node.zeros = child.zeros + child.pivots * (height - unknowns(child.rows));
      const double entries =
          static_cast<double>(pivots) * static_cast<double>(child.pivots + height);
      merged = static_cast<double>(node.zeros) <=
               (pivots <= kSmallFront ? kSomeZeros : kFewZeros) * entries;
      if (merged) {
        node.first = child.first;
        node.pivots = pivots;
        made.pop_back();
      } else {
        node.zeros = 0;
      }
    }
    if (parent[k] >= 0) children[parent[k]].push_back(static_cast<int>(made.size()));
    made.push_back(std::move(node));
  }
  return made;
}

void SupernodalLdl::build_fronts(const std::vector<int>& starts, const std::vector<int>& rows) {
  const std::vector<int> parent = build_tree(starts, rows);
  std::vector<Supernode> made = find_supernodes(parent, neighbours_before(starts, rows));
  std::vector<int> front_of(parent.size());
  fronts_.clear();
  rows_.clear();
  panel_size_ = 0;
  operations_ = 0.0;
  for (Supernode& node : made) {
    for (int k = node.first; k <= node.last; ++k) front_of[k] = static_cast<int>(fronts_.size());
    Front front;
    front.first = group_first_[node.first];
    front.pivots = node.pivots;
    front.rows = static_cast<long>(rows_.size());
    front.panel = panel_size_;
    front.parent = parent[node.last];  // a group, until all fronts are known
    for (int i = 0; i < node.pivots; ++i) rows_.push_back(front.first + i);
    std::sort(node.rows.begin(), node.rows.end());
    for (const int g : node.rows) {
      for (int i = group_first_[g]; i < group_first_[g + 1]; ++i) rows_.push_back(i);
    }
    front.size = static_cast<int>(static_cast<long>(rows_.size()) - front.rows);
    panel_size_ += static_cast<long>(front.size) * front.pivots;
    for (int i = 0; i < front.pivots; ++i)
      operations_ += 0.5 * (front.size - i) * (front.size - i + 1.0);
    fronts_.push_back(front);
  }
  const int fronts = static_cast<int>(fronts_.size());
  first_child_.assign(fronts, -1);
  next_child_.assign(fronts, -1);
  for (int f = fronts - 1; f >= 0; --f) {
    Front& front = fronts_[f];
    if (front.parent < 0) continue;
    front.parent = front_of[front.parent];
    next_child_[f] = first_child_[front.parent];
    first_child_[front.parent] = f;
  }
  size_work_space();
}

// Updates of children lie on a stack until their parent takes them.
void SupernodalLdl::size_work_space() {
  long used = 0;
  int largest = 0, widest = 0;
  stack_size_ = 0;
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    stack_size_ = std::max(stack_size_, used + fronts_[f].update_size());
    for (int c = first_child_[f]; c >= 0; c = next_child_[c]) used -= fronts_[c].update_size();
    used += fronts_[f].update_size();
    largest = std::max(largest, fronts_[f].size);
    widest = std::max(widest, fronts_[f].pivots);
  }
  scaled_.resize(static_cast<std::size_t>(largest) * static_cast<std::size_t>(widest));
  gathered_.resize(largest);
}

// Where every entry of the pattern goes.
void SupernodalLdl::place_entries(const std::vector<int>& starts, const std::vector<int>& rows) {
  const int fronts = static_cast<int>(fronts_.size());
  std::vector<int> front_of(size_);
  for (int f = 0; f < fronts; ++f) {
    for (int i = 0; i < fronts_[f].pivots; ++i) front_of[fronts_[f].first + i] = f;
  }
  std::vector<int> low(rows.size()), high(rows.size());
  for (int j = 0; j < size_; ++j) {
    for (int k = starts[j]; k < starts[j + 1]; ++k) {
      low[k] = std::min(position_[rows[k]], position_[j]);
      high[k] = std::max(position_[rows[k]], position_[j]);
    }
  }
  entry_starts_.assign(fronts + 1, 0);
  for (std::size_t k = 0; k < rows.size(); ++k) ++entry_starts_[front_of[low[k]] + 1];
  for (int f = 0; f < fronts; ++f) entry_starts_[f + 1] += entry_starts_[f];
  std::vector<int> next(entry_starts_.begin(), entry_starts_.end() - 1);
  entries_.resize(rows.size());
  entry_places_.resize(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k)
    entries_[next[front_of[low[k]]]++] = static_cast<int>(k);
  std::vector<int> local(size_, -1);
  for (int f = 0; f < fronts; ++f) {
    const Front& front = fronts_[f];
    for (int i = 0; i < front.size; ++i) local[rows_[front.rows + i]] = i;
    for (int e = entry_starts_[f]; e < entry_starts_[f + 1]; ++e) {
      const int k = entries_[e];
      entry_places_[e] =
          front.panel + static_cast<long>(low[k] - front.first) * front.size + local[high[k]];
    }
  }
}

// Adds what a child leaves to the panel of its parent and to what that leaves in turn.
void SupernodalLdl::assemble_child(const Front& child, const double* block, const Front& front,
                                   double* update) {
  const int rest = child.size - child.pivots, below = front.size - front.pivots;
  const int* rows = rows_.data() + child.rows + child.pivots;
  for (int j = 0; j < rest; ++j) {
    const int column = local_[rows[j]];
    const double* from = block + static_cast<long>(j) * rest;
    double* to = column < front.pivots
                     ? panels_.data() + front.panel + static_cast<long>(column) * front.size
                     : update + static_cast<long>(column - front.pivots) * below - front.pivots;
    for (int i = j; i < rest; ++i) to[local_[rows[i]]] += from[i];
  }
}

bool SupernodalLdl::factor(const std::vector<double>& values, double least, double substitute) {
  std::fill(panels_.begin(), panels_.end(), 0.0);
  substituted_ = 0;
  long top = 0;  // of the stack
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    const Front& front = fronts_[f];
    for (int e = entry_starts_[f]; e < entry_starts_[f + 1]; ++e)
      panels_[entry_places_[e]] += values[entries_[e]];
    const int below = front.size - front.pivots;
    double* update = stack_.data() + top;
    std::fill(update, update + static_cast<long>(below) * below, 0.0);
    for (int i = 0; i < front.size; ++i) local_[rows_[front.rows + i]] = i;
    // The children's updates are the last ones on the stack, in their order.
    long taken = 0;
    for (int c = first_child_[f]; c >= 0; c = next_child_[c]) taken += fronts_[c].update_size();
    const double* block = update - taken;
    for (int c = first_child_[f]; c >= 0; c = next_child_[c]) {
      assemble_child(fronts_[c], block, front, update);
      block += fronts_[c].update_size();
    }
    if (!factor_panel(front, least, substitute)) return false;
    if (below > 0) {
      const Block l =
          block_at(panels_.data() + front.panel + front.pivots, below, front.pivots, front.size);
      Block scaled = block_at(scaled_.data(), below, front.pivots, below);
      for (int j = 0; j < front.pivots; ++j) scaled.col(j) = l.col(j) * pivots_[front.first + j];
      Block left = block_at(update, below, below, below);
      left.triangularView<Eigen::Lower>() -= l * scaled.transpose();
    }
    top -= taken;
    if (taken > 0) {
      std::memmove(
          stack_.data() + top, update,
          static_cast<std::size_t>(below) * static_cast<std::size_t>(below) * sizeof(double));
    }
    top += static_cast<long>(below) * below;
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
  for (int k = 0; k < size_; ++k) work_[k] = x[order_[k]];
  const auto maps = [&](const Front& front) {
    const double* panel = panels_.data() + front.panel;
    using ConstBlock = Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
    return std::pair(
        ConstBlock(panel, front.pivots, front.pivots, Eigen::OuterStride<>(front.size)),
        ConstBlock(panel + front.pivots, front.size - front.pivots, front.pivots,
                   Eigen::OuterStride<>(front.size)));
  };
  for (const Front& front : fronts_) {
    const auto [l11, l21] = maps(front);
    Eigen::Map<Eigen::VectorXd> own(work_.data() + front.first, front.pivots);
    l11.triangularView<Eigen::UnitLower>().solveInPlace(own);
    const int below = front.size - front.pivots;
    Eigen::Map<Eigen::VectorXd> g(gathered_.data(), below);
    g.noalias() = l21 * own;
    const int* rows = rows_.data() + front.rows + front.pivots;
    for (int i = 0; i < below; ++i) work_[rows[i]] -= g[i];
  }
  for (int k = 0; k < size_; ++k) work_[k] /= pivots_[k];
  for (auto it = fronts_.rbegin(); it != fronts_.rend(); ++it) {
    const auto [l11, l21] = maps(*it);
    Eigen::Map<Eigen::VectorXd> own(work_.data() + it->first, it->pivots);
    const int below = it->size - it->pivots;
    const int* rows = rows_.data() + it->rows + it->pivots;
    Eigen::Map<Eigen::VectorXd> g(gathered_.data(), below);
    for (int i = 0; i < below; ++i) g[i] = work_[rows[i]];
    own.noalias() -= l21.transpose() * g;
    l11.triangularView<Eigen::UnitLower>().transpose().solveInPlace(own);
  }
  for (int k = 0; k < size_; ++k) x[order_[k]] = work_[k];
}

}  // namespace perp
