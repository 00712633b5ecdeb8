#include <perp/solvers/linear_algebra/supernodal_ldl.hpp>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <cstring>

namespace perp {

namespace {

using Block = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

constexpr int kPanel = 32;           // columns that are eliminated before the others see them
constexpr int kSmallFront = 16;      // pivots: smaller supernodes are merged more readily
constexpr double kFewZeros = 0.15;   // share of a merged panel that may be zeros
constexpr double kSomeZeros = 0.4;   // the same for small ones

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
                            const std::vector<signed char>& signs,
                            const std::vector<int>& groups) {
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

// Elimination tree, its postorder, supernodes and their rows, all in groups first.
void SupernodalLdl::build_fronts(const std::vector<int>& starts, const std::vector<int>& rows) {
  const int count = static_cast<int>(group_sizes_.size());
  std::vector<int> place(count);
  std::vector<std::vector<int>> above(count), below(count);  // neighbours in the order
  const auto find_neighbours = [&] {
    for (int k = 0; k < count; ++k) {
      place[group_order_[k]] = k;
      above[k].clear();
    }
    for (int j = 0; j < size_; ++j) {
      for (int k = starts[j]; k < starts[j + 1]; ++k) {
        const int a = place[group_of_[rows[k]]], b = place[group_of_[j]];
        if (a != b) above[std::max(a, b)].push_back(std::min(a, b));
      }
    }
    for (int k = 0; k < count; ++k) {
      std::sort(above[k].begin(), above[k].end());
      above[k].erase(std::unique(above[k].begin(), above[k].end()), above[k].end());
    }
  };
  find_neighbours();
  std::vector<int> parent(count, -1), mark(count, -1), weight(count, 0);
  for (int k = 0; k < count; ++k) {
    mark[k] = k;
    for (int i : above[k]) {
      for (; mark[i] != k; i = parent[i]) {
        if (parent[i] < 0) parent[i] = k;
        weight[i] += group_sizes_[group_order_[k]];
        mark[i] = k;
      }
    }
  }
  const std::vector<int> post = postorder(parent, weight);
  std::vector<int> renumbered(count), new_order(count), new_parent(count);
  for (int k = 0; k < count; ++k) renumbered[post[k]] = k;
  for (int k = 0; k < count; ++k) {
    new_order[k] = group_order_[post[k]];
    new_parent[k] = parent[post[k]] < 0 ? -1 : renumbered[parent[post[k]]];
  }
  group_order_ = std::move(new_order);
  parent = std::move(new_parent);
  find_neighbours();
  for (int k = 0; k < count; ++k) {
    for (const int i : above[k]) below[i].push_back(k);
  }
  // Unknowns in the new order.
  std::vector<int> first(count + 1, 0);
  for (int k = 0; k < count; ++k) first[k + 1] = first[k] + group_sizes_[group_order_[k]];
  order_.resize(size_);
  position_.resize(size_);
  std::vector<int> next(first.begin(), first.end() - 1);
  for (int i = 0; i < size_; ++i) {
    position_[i] = next[place[group_of_[i]]]++;
    order_[position_[i]] = i;
  }
  // Supernodes: a node joins that of the node before it where that is its child and few zeros are
  // stored for it.
  struct Supernode {
    int first, last, size;  // groups; unknowns in its pivots
    long zeros;
    std::vector<int> rows;  // groups below
  };
  std::vector<Supernode> made;
  std::vector<int> node_front(count, -1);
  std::vector<std::vector<int>> children(count);
  std::fill(mark.begin(), mark.end(), -1);
  const auto unknowns = [&](const std::vector<int>& groups) {
    long sum = 0;
    for (const int g : groups) sum += first[g + 1] - first[g];
    return sum;
  };
  for (int k = 0; k < count; ++k) {
    Supernode node{k, k, first[k + 1] - first[k], 0, {}};
    mark[k] = k;
    const auto add = [&](const std::vector<int>& groups) {
      for (const int g : groups) {
        if (mark[g] == k) continue;
        mark[g] = k;
        node.rows.push_back(g);
      }
    };
    add(below[k]);
    for (const int c : children[k]) add(made[c].rows);
    // Merge with the last front made, where that is a child.
    if (!made.empty() && made.back().last == k - 1 && parent[k - 1] == k) {
      const Supernode& child = made.back();
      const long height = node.size + unknowns(node.rows);
      const long zeros = child.zeros + child.size * (height - unknowns(child.rows));
      const int pivots = child.size + node.size;
      const double entries =
          static_cast<double>(pivots) * static_cast<double>(child.size + height);
      const double share = pivots <= kSmallFront ? kSomeZeros : kFewZeros;
      if (static_cast<double>(zeros) <= share * entries) {
        node.first = child.first;
        node.size = pivots;
        node.zeros = zeros;
        const int merged = static_cast<int>(made.size()) - 1;
        made[merged] = std::move(node);
        node_front[k] = merged;
        if (parent[k] >= 0) children[parent[k]].push_back(merged);
        continue;
      }
    }
    node_front[k] = static_cast<int>(made.size());
    if (parent[k] >= 0) children[parent[k]].push_back(node_front[k]);
    made.push_back(std::move(node));
  }
  fronts_.clear();
  rows_.clear();
  panel_size_ = 0;
  operations_ = 0.0;
  for (Supernode& node : made) {
    Front front;
    front.first = first[node.first];
    front.pivots = node.size;
    front.rows = static_cast<long>(rows_.size());
    front.panel = panel_size_;
    for (int i = 0; i < node.size; ++i) rows_.push_back(front.first + i);
    std::sort(node.rows.begin(), node.rows.end());
    for (const int g : node.rows) {
      for (int i = first[g]; i < first[g + 1]; ++i) rows_.push_back(i);
    }
    front.size = static_cast<int>(static_cast<long>(rows_.size()) - front.rows);
    front.parent = parent[node.last] < 0 ? -1 : parent[node.last];  // a group; below its front
    panel_size_ += static_cast<long>(front.size) * front.pivots;
    for (int i = 0; i < front.pivots; ++i) {
      const double rest = front.size - i;
      operations_ += 0.5 * rest * (rest + 1);
    }
    fronts_.push_back(front);
  }
  for (int k = 0; k < count; ++k) node_front[k] = -1;
  for (std::size_t f = 0; f < made.size(); ++f) {
    for (int k = made[f].first; k <= made[f].last; ++k) node_front[k] = static_cast<int>(f);
  }
  const int fronts = static_cast<int>(fronts_.size());
  first_child_.assign(fronts, -1);
  next_child_.assign(fronts, -1);
  for (int f = fronts - 1; f >= 0; --f) {
    Front& front = fronts_[f];
    if (front.parent < 0) continue;
    front.parent = node_front[front.parent];
    next_child_[f] = first_child_[front.parent];
    first_child_[front.parent] = f;
  }
  // Updates of children lie on a stack until their parent takes them.
  long used = 0;
  stack_size_ = 0;
  int largest = 0, widest = 0;
  for (int f = 0; f < fronts; ++f) {
    const auto update = [&](int k) {
      const long rest = fronts_[k].size - fronts_[k].pivots;
      return rest * rest;
    };
    stack_size_ = std::max(stack_size_, used + update(f));
    for (int c = first_child_[f]; c >= 0; c = next_child_[c]) used -= update(c);
    used += update(f);
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
  std::vector<std::vector<std::pair<int, int>>> by_front(fronts);  // entry, column * size_ ...
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
    for (int c = first_child_[f]; c >= 0; c = next_child_[c]) {
      const long rest = fronts_[c].size - fronts_[c].pivots;
      taken += rest * rest;
    }
    const double* block = update - taken;
    for (int c = first_child_[f]; c >= 0; c = next_child_[c]) {
      assemble_child(fronts_[c], block, front, update);
      const long rest = fronts_[c].size - fronts_[c].pivots;
      block += rest * rest;
    }
    if (!factor_panel(front, least, substitute)) return false;
    if (below > 0) {
      const Block l = block_at(panels_.data() + front.panel + front.pivots, below, front.pivots,
                               front.size);
      Block scaled = block_at(scaled_.data(), below, front.pivots, below);
      for (int j = 0; j < front.pivots; ++j) scaled.col(j) = l.col(j) * pivots_[front.first + j];
      Block left = block_at(update, below, below, below);
      left.triangularView<Eigen::Lower>() -= l * scaled.transpose();
    }
    top -= taken;
    if (taken > 0) {
      std::memmove(stack_.data() + top, update,
                   static_cast<std::size_t>(below) * static_cast<std::size_t>(below) *
                       sizeof(double));
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
