#include <perp/problems/standard/islands.hpp>

#include <algorithm>
#include <perp/problems/standard/disjoint_sets.hpp>
#include <stdexcept>

namespace perp {

namespace {

using enum Operation;

constexpr int kNone = -1;

template <class T>
auto& at(T& list, int index) {
  return list[static_cast<std::size_t>(index)];
}

// Which nodes depend on an unknown.
std::vector<char> depend_on_unknowns(const ExpressionGraph& graph) {
  std::vector<char> depends(graph.nodes.size(), 0);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const ExpressionGraph::Node& node = graph.nodes[i];
    const auto operands = graph.operands_of(node);
    depends[i] = node.operation == kVariable || std::any_of(operands.begin(), operands.end(),
                                                            [&](int k) { return at(depends, k); });
  }
  return depends;
}

std::vector<std::vector<int>> sets_of_unknowns(const Mcp& problem) {
  const ExpressionGraph& graph = *problem.graph;
  const int n = problem.size(), nodes = static_cast<int>(graph.nodes.size());
  const std::vector<char> depends = depend_on_unknowns(graph);
  DisjointSets sets(nodes + n);  // nodes, then unknowns
  for (int i = 0; i < nodes; ++i) {
    const ExpressionGraph::Node& node = at(graph.nodes, i);
    if (node.operation == kVariable) sets.join(i, nodes + node.first);
    for (const int k : graph.operands_of(node)) {
      if (at(depends, k)) sets.join(i, k);
    }
  }
  for (int row = 0; row < n; ++row) {
    const int node = at(graph.outputs, row);
    if (at(depends, node)) sets.join(node, nodes + row);
  }
  std::vector<std::vector<int>> islands;
  std::vector<int> numbers(graph.nodes.size() + static_cast<std::size_t>(n), kNone);
  for (int i = 0; i < n; ++i) {
    int& number = at(numbers, sets.root(nodes + i));
    if (number == kNone) {
      number = static_cast<int>(islands.size());
      islands.emplace_back();
    }
    at(islands, number).push_back(i);
  }
  return islands;
}

}  // namespace

std::vector<McpPart> find_islands(const Mcp& problem) {
  if (!problem.graph) throw std::invalid_argument("graph: is missing");
  problem.graph->check(problem.size(), static_cast<int>(problem.parameters.size()));
  McpParts parts(problem);
  std::vector<McpPart> islands;
  for (std::vector<int>& unknowns : sets_of_unknowns(problem))
    islands.push_back(parts.part(std::move(unknowns)));
  return islands;
}

}  // namespace perp
