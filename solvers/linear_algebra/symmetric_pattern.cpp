#include <perp/solvers/linear_algebra/symmetric_pattern.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace perp {

namespace {

/// For each unknown its neighbours and itself, in order.
struct Graph {
  std::vector<int> starts, others;
};

Graph graph_of(int size, const std::vector<int>& starts, const std::vector<int>& rows) {
  Graph all;  // entries in both A and A' come twice
  all.starts.assign(size + 1, 1);
  all.starts[0] = 0;
  for (int j = 0; j < size; ++j) {
    for (int k = starts[j]; k < starts[j + 1]; ++k) {
      if (rows[k] == j) continue;
      ++all.starts[j + 1];
      ++all.starts[rows[k] + 1];
    }
  }
  std::partial_sum(all.starts.begin(), all.starts.end(), all.starts.begin());
  std::vector<int> next(all.starts.begin(), all.starts.end() - 1);
  all.others.resize(all.starts[size]);
  for (int j = 0; j < size; ++j) {
    all.others[next[j]++] = j;
    for (int k = starts[j]; k < starts[j + 1]; ++k) {
      if (rows[k] == j) continue;
      all.others[next[j]++] = rows[k];
      all.others[next[rows[k]]++] = j;
    }
  }
  Graph graph;
  graph.starts.assign(1, 0);
  graph.others.reserve(all.others.size());
  for (int j = 0; j < size; ++j) {
    const auto first = all.others.begin() + all.starts[j], last = all.others.begin() + next[j];
    std::sort(first, last);
    graph.others.insert(graph.others.end(), first, std::unique(first, last));
    graph.starts.push_back(static_cast<int>(graph.others.size()));
  }
  return graph;
}

// A pseudo-random number for each unknown: different sets of neighbours then have different sums.
std::uint64_t mixed(std::uint64_t x) {
  x = (x + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::vector<int> groups_of(const Graph& graph) {
  const int size = static_cast<int>(graph.starts.size()) - 1;
  std::vector<std::uint64_t> sums(size, 0);
  std::vector<int> order(size), groups(size);
  for (int j = 0; j < size; ++j) {
    for (int k = graph.starts[j]; k < graph.starts[j + 1]; ++k)
      sums[j] += mixed(static_cast<std::uint64_t>(graph.others[k]));
  }
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return sums[a] < sums[b]; });
  const auto alike = [&](int a, int b) {
    return std::equal(
        graph.others.begin() + graph.starts[a], graph.others.begin() + graph.starts[a + 1],
        graph.others.begin() + graph.starts[b], graph.others.begin() + graph.starts[b + 1]);
  };
  int group = -1;
  for (int k = 0; k < size; ++k) {
    if (k == 0 || sums[order[k]] != sums[order[k - 1]] || !alike(order[k], order[k - 1])) ++group;
    groups[order[k]] = group;
  }
  return groups;
}

}  // namespace

SymmetricPattern symmetric_pattern(int size, const std::vector<int>& starts,
                                   const std::vector<int>& rows) {
  const Graph graph = graph_of(size, starts, rows);
  SymmetricPattern pattern;
  pattern.starts.assign(1, 0);
  for (int j = 0; j < size; ++j) {
    for (int k = graph.starts[j]; k < graph.starts[j + 1] && graph.others[k] <= j; ++k)
      pattern.rows.push_back(graph.others[k]);
    pattern.starts.push_back(static_cast<int>(pattern.rows.size()));
  }
  pattern.groups = groups_of(graph);
  return pattern;
}

}  // namespace perp
