#include <perp/solvers/linear_algebra/assembly_tree.hpp>

#include <algorithm>
#include <numeric>
#include <perp/solvers/linear_algebra/minimum_degree.hpp>
#include <utility>

namespace perp {

namespace {

constexpr int kSmallFront = 16;      // pivots; smaller supernodes may store more zeros
constexpr double kFewZeros = 0.15;   // share of a merged panel that may be zeros
constexpr double kSomeZeros = 0.4;   // the same for small supernodes
constexpr double kThreadsPay = 5e6;  // multiplications; below, the start of threads costs too much
constexpr int kShares = 4;  // subtrees for each thread, at least, so that all end at about one time

using Lists = std::vector<std::vector<int>>;

struct Supernode {
  int first, last;        // groups
  int pivots;             // unknowns
  long zeros;             // stored because of merging
  std::vector<int> rows;  // groups below
};

double operations_of(const Front& front) {
  double sum = 0.0;
  for (int i = 0; i < front.pivots; ++i) sum += 0.5 * (front.size - i) * (front.size - i + 1.0);
  return sum;
}

// Nodes of an elimination tree, children before parents. Of the children of one parent that with
// most rows is the last one, so that both can be merged.
std::vector<int> postorder(const std::vector<int>& parent, const std::vector<int>& weight) {
  const int n = static_cast<int>(parent.size());
  std::vector<int> by_weight(n), head(n + 1, -1), next(n, -1), result;
  for (int k = 0; k < n; ++k) by_weight[k] = k;
  // Each node is put at the front of a list: the heaviest comes first, so that it ends up last.
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

class Builder {
 public:
  Builder(const std::vector<int>& starts, const std::vector<int>& rows,
          const std::vector<int>& group_of, const std::vector<int>& order, int threads)
      : threads_(threads),
        size_(static_cast<int>(group_of.size())),
        starts_(starts),
        rows_(rows),
        group_of_(group_of),
        group_order_(order) {
    const int count = size_ == 0 ? 0 : 1 + *std::max_element(group_of.begin(), group_of.end());
    group_sizes_.assign(count, 0);
    for (const int g : group_of) ++group_sizes_[g];
  }

  AssemblyTree build() {
    find_couplings();
    if (group_order_.empty()) find_minimum_degree_order(coupled_starts_, coupled_, group_order_);
    build_fronts();
    place_updates(share_fronts());
    return std::move(tree_);
  }

 private:
  void find_couplings();
  Lists neighbours_before() const;
  std::vector<int> build_tree();
  std::vector<Supernode> find_supernodes(const std::vector<int>& parent, const Lists& before) const;
  void build_fronts();
  void find_subtrees();
  std::vector<int> share_fronts();
  void place_updates(const std::vector<int>& share);

  const int threads_, size_;
  const std::vector<int>&starts_, &rows_, &group_of_;
  std::vector<int> coupled_starts_, coupled_;  // for each group the lower ones coupled with it
  std::vector<int> group_order_;               // new -> old
  std::vector<int> group_sizes_;               // of old groups
  std::vector<int> group_first_;               // first unknown of each group in the new order
  AssemblyTree tree_;
};

// For each group the groups with lower numbers that it is coupled with, each once.
void Builder::find_couplings() {
  const int count = static_cast<int>(group_sizes_.size());
  std::vector<int> starts(count + 1, 0), mark(count, -1);
  const auto for_entries = [&](auto&& visit) {
    for (int j = 0; j < size_; ++j) {
      for (int k = starts_[j]; k < starts_[j + 1]; ++k) {
        const auto [low, high] = std::minmax(group_of_[rows_[k]], group_of_[j]);
        if (low != high) visit(low, high);
      }
    }
  };
  for_entries([&](int, int high) { ++starts[high + 1]; });
  for (int g = 0; g < count; ++g) starts[g + 1] += starts[g];
  std::vector<int> lows(starts[count]), next(starts.begin(), starts.end() - 1);
  for_entries([&](int low, int high) { lows[next[high]++] = low; });
  coupled_starts_.assign(1, 0);
  for (int g = 0; g < count; ++g) {
    for (int k = starts[g]; k < starts[g + 1]; ++k) {
      if (mark[lows[k]] != g) coupled_.push_back(lows[k]);
      mark[lows[k]] = g;
    }
    std::sort(coupled_.begin() + coupled_starts_[g], coupled_.end());
    coupled_starts_.push_back(static_cast<int>(coupled_.size()));
  }
}

// For each group the groups before it in the order that it is coupled with.
Lists Builder::neighbours_before() const {
  const int count = static_cast<int>(group_order_.size());
  std::vector<int> place(count), counts(count, 0);
  for (int k = 0; k < count; ++k) place[group_order_[k]] = k;
  const auto for_couplings = [&](auto&& visit) {
    for (int g = 0; g < count; ++g) {
      for (int k = coupled_starts_[g]; k < coupled_starts_[g + 1]; ++k) {
        const auto [first, last] = std::minmax(place[g], place[coupled_[k]]);
        visit(first, last);
      }
    }
  };
  for_couplings([&](int, int last) { ++counts[last]; });
  Lists before(count);
  for (int k = 0; k < count; ++k) before[k].reserve(counts[k]);
  for_couplings([&](int first, int last) { before[last].push_back(first); });
  for (std::vector<int>& list : before) std::sort(list.begin(), list.end());
  return before;
}

// Finds the elimination tree and numbers groups and unknowns anew by its postorder.
std::vector<int> Builder::build_tree() {
  const int count = static_cast<int>(group_sizes_.size());
  const Lists before = neighbours_before();
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
  tree_.order.resize(size_);
  tree_.position.resize(size_);
  for (int i = 0; i < size_; ++i) {
    tree_.position[i] = next[group_of_[i]]++;
    tree_.order[tree_.position[i]] = i;
  }
  return tree;
}

// A group joins the supernode of the group before it if that is its child and few zeros are stored
// for it.
std::vector<Supernode> Builder::find_supernodes(const std::vector<int>& parent,
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

void Builder::build_fronts() {
  const std::vector<int> parent = build_tree();
  std::vector<Supernode> made = find_supernodes(parent, neighbours_before());
  std::vector<int> front_of(parent.size());
  for (Supernode& node : made) {
    for (int k = node.first; k <= node.last; ++k)
      front_of[k] = static_cast<int>(tree_.fronts.size());
    Front front;
    front.first = group_first_[node.first];
    front.pivots = node.pivots;
    front.rows = static_cast<long>(tree_.rows.size());
    front.panel = tree_.panel_size;
    front.parent = parent[node.last];  // a group, until all fronts are known
    for (int i = 0; i < node.pivots; ++i) tree_.rows.push_back(front.first + i);
    std::sort(node.rows.begin(), node.rows.end());
    for (const int g : node.rows) {
      for (int i = group_first_[g]; i < group_first_[g + 1]; ++i) tree_.rows.push_back(i);
    }
    front.size = static_cast<int>(static_cast<long>(tree_.rows.size()) - front.rows);
    tree_.panel_size += static_cast<long>(front.size) * front.pivots;
    tree_.operations += operations_of(front);
    tree_.fronts.push_back(front);
  }
  const int fronts = static_cast<int>(tree_.fronts.size());
  tree_.first_child.assign(fronts, -1);
  tree_.next_child.assign(fronts, -1);
  for (int f = fronts - 1; f >= 0; --f) {
    Front& front = tree_.fronts[f];
    if (front.parent < 0) continue;
    front.parent = front_of[front.parent];
    int& first = tree_.first_child[front.parent];
    int& place = first >= 0 && tree_.fronts[first].update_size() > front.update_size()
                     ? tree_.next_child[first]
                     : first;
    tree_.next_child[f] = place;
    place = f;
  }
}

// The subtree with most operations is cut into those of its children until it is small beside what
// a thread has to do.
void Builder::find_subtrees() {
  if (threads_ == 1 || tree_.operations < kThreadsPay) return;
  const int fronts = static_cast<int>(tree_.fronts.size());
  std::vector<int> begin(fronts), roots;
  std::iota(begin.begin(), begin.end(), 0);
  std::vector<double> work(fronts, 0.0);
  for (int f = 0; f < fronts; ++f) {
    work[f] += operations_of(tree_.fronts[f]);
    const int parent = tree_.fronts[f].parent;
    if (parent < 0) {
      roots.push_back(f);
    } else {
      work[parent] += work[f];
      begin[parent] = std::min(begin[parent], begin[f]);
    }
  }
  const auto less = [&](int a, int b) { return work[a] < work[b]; };
  std::make_heap(roots.begin(), roots.end(), less);
  while (!roots.empty()) {
    std::pop_heap(roots.begin(), roots.end(), less);
    const int root = roots.back();
    roots.pop_back();
    if (work[root] * kShares * threads_ <= tree_.operations) {
      tree_.subtrees.push_back({begin[root], root + 1});
      continue;
    }
    for (int c = tree_.first_child[root]; c >= 0; c = tree_.next_child[c]) {
      roots.push_back(c);
      std::push_heap(roots.begin(), roots.end(), less);
    }
  }
}

// Finds the subtrees and the fronts above them. @return for each front its subtree, or the number
// of subtrees
std::vector<int> Builder::share_fronts() {
  find_subtrees();
  const int count = static_cast<int>(tree_.subtrees.size());
  std::vector<int> share(tree_.fronts.size(), count);
  for (int s = 0; s < count; ++s)
    std::fill(share.begin() + tree_.subtrees[s].begin, share.begin() + tree_.subtrees[s].end, s);
  for (int f = 0; f < static_cast<int>(share.size()); ++f) {
    if (share[f] == count) tree_.above.push_back(f);
  }
  return share;
}

// Updates of fronts at even and odd depths lie on two stacks: so a front writes its own while those
// of its children, which are the last ones on the other stack, still lie there. Each subtree has
// two stacks of its own, and so have the fronts above them.
void Builder::place_updates(const std::vector<int>& share) {
  const int fronts = static_cast<int>(tree_.fronts.size());
  std::vector<int> stack(fronts);  // 2 share + (1 at odd depths)
  for (int f = fronts - 1; f >= 0; --f) {
    const int parent = tree_.fronts[f].parent;
    stack[f] = 2 * share[f] + (parent >= 0 ? 1 - stack[parent] % 2 : 0);
  }
  std::vector<long> top(2 * (tree_.subtrees.size() + 1), 0), most = top;
  for (int f = 0; f < fronts; ++f) {
    Front& front = tree_.fronts[f];
    for (int c = tree_.first_child[f]; c >= 0; c = tree_.next_child[c]) {
      if (share[c] == share[f]) top[stack[c]] -= tree_.fronts[c].update_size();
    }
    long& end = top[stack[f]];
    front.update = end;
    end += front.update_size();
    most[stack[f]] = std::max(most[stack[f]], end);
    tree_.most_rows = std::max(tree_.most_rows, front.size);
    tree_.most_pivots = std::max(tree_.most_pivots, front.pivots);
  }
  std::vector<long> base(most.size(), 0);
  for (std::size_t s = 0; s < most.size(); ++s) {
    base[s] = tree_.updates_size;
    tree_.updates_size += most[s];
  }
  for (int f = 0; f < fronts; ++f) tree_.fronts[f].update += base[stack[f]];
}

}  // namespace

AssemblyRuns assembly_runs(const AssemblyTree& tree) {
  AssemblyRuns runs;
  runs.starts.assign(1, 0);
  std::vector<int> local(tree.order.size());
  for (const Front& front : tree.fronts) {
    if (front.parent >= 0) {
      const Front& parent = tree.fronts[front.parent];
      for (int i = 0; i < parent.size; ++i) local[tree.rows[parent.rows + i]] = i;
      const int* rows = tree.rows.data() + front.rows + front.pivots;
      for (int i = 0; i < front.size - front.pivots; ++i) {
        const int to = local[rows[i]];
        const bool first = static_cast<int>(runs.list.size()) == runs.starts.back();
        if (first || to == parent.pivots || to != runs.list.back().to + runs.list.back().count)
          runs.list.push_back({i, to, 0});
        ++runs.list.back().count;
      }
    }
    runs.starts.push_back(static_cast<int>(runs.list.size()));
  }
  return runs;
}

AssemblyTree assembly_tree(const std::vector<int>& starts, const std::vector<int>& rows,
                           const std::vector<int>& group_of, const std::vector<int>& order,
                           int threads) {
  return Builder(starts, rows, group_of, order, threads).build();
}

}  // namespace perp
