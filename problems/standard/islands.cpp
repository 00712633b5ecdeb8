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

// Islands without their graphs: sets of unknowns.
std::vector<Island> sets_of_unknowns(const Mcp& problem) {
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
  std::vector<Island> islands;
  std::vector<int> numbers(graph.nodes.size() + static_cast<std::size_t>(n), kNone);
  for (int i = 0; i < n; ++i) {
    int& number = at(numbers, sets.root(nodes + i));
    if (number == kNone) {
      number = static_cast<int>(islands.size());
      islands.emplace_back();
    }
    at(islands, number).unknowns.push_back(i);
  }
  return islands;
}

// Copies what the rows of islands need out of a graph.
class Extraction {
 public:
  explicit Extraction(const Mcp& problem)
      : graph_(*problem.graph),
        nodes_(graph_.nodes.size(), kNone),
        unknowns_(static_cast<std::size_t>(problem.size()), kNone),
        parameters_(static_cast<std::size_t>(problem.parameters.size()), kNone) {}

  void fill(Island& island) {
    for (std::size_t k = 0; k < island.unknowns.size(); ++k)
      at(unknowns_, island.unknowns[k]) = static_cast<int>(k);
    auto part = std::make_shared<ExpressionGraph>();
    std::vector<int> operands;
    const std::vector<int> needed = nodes_of(island);
    for (const int i : needed) at(nodes_, i) = copy(i, *part, island, operands);
    for (const int row : island.unknowns)
      part->outputs.push_back(at(nodes_, at(graph_.outputs, row)));
    for (const int i : needed) at(nodes_, i) = kNone;
    for (const int p : island.parameters) at(parameters_, p) = kNone;
    island.graph = std::move(part);
  }

 private:
  // The nodes that the rows of an island need, in ascending order.
  std::vector<int> nodes_of(const Island& island) {
    constexpr int kSeen = -2;
    std::vector<int> found, open;
    const auto see = [&](int node) {
      if (at(nodes_, node) == kSeen) return;
      at(nodes_, node) = kSeen;
      open.push_back(node);
    };
    for (const int row : island.unknowns) see(at(graph_.outputs, row));
    while (!open.empty()) {
      const int node = open.back();
      open.pop_back();
      found.push_back(node);
      for (const int k : graph_.operands_of(at(graph_.nodes, node))) see(k);
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  int copy(int index, ExpressionGraph& part, Island& island, std::vector<int>& operands) {
    const ExpressionGraph::Node& node = at(graph_.nodes, index);
    if (node.operation == kConstant) return part.add_constant(node.value);
    if (node.operation == kVariable) return part.add_leaf(kVariable, at(unknowns_, node.first));
    if (node.operation == kParameter) {
      int& place = at(parameters_, node.first);
      if (place == kNone) {
        place = static_cast<int>(island.parameters.size());
        island.parameters.push_back(node.first);
      }
      return part.add_leaf(kParameter, place);
    }
    operands.clear();
    for (const int k : graph_.operands_of(node)) operands.push_back(at(nodes_, k));
    return part.add(node.operation, operands);
  }

  const ExpressionGraph& graph_;
  std::vector<int> nodes_;       // where they are in the part
  std::vector<int> unknowns_;    // their numbers in their islands
  std::vector<int> parameters_;  // where they are in the part
};

}  // namespace

std::vector<Island> find_islands(const Mcp& problem) {
  if (!problem.graph) throw std::invalid_argument("graph: is missing");
  problem.graph->check(problem.size(), static_cast<int>(problem.parameters.size()));
  std::vector<Island> islands = sets_of_unknowns(problem);
  Extraction extraction(problem);
  for (Island& island : islands) extraction.fill(island);
  return islands;
}

Mcp problem_of(const Island& island, const Mcp& whole) {
  Mcp part;
  part.graph = island.graph;
  part.parameters.resize(std::ssize(island.parameters));
  for (std::size_t k = 0; k < island.parameters.size(); ++k)
    part.parameters[static_cast<Eigen::Index>(k)] = whole.parameters[island.parameters[k]];
  part.lower = part_of(island, whole.lower);
  part.upper = part_of(island, whole.upper);
  return part;
}

Vector part_of(const Island& island, const Vector& z) {
  Vector part(std::ssize(island.unknowns));
  for (std::size_t k = 0; k < island.unknowns.size(); ++k)
    part[static_cast<Eigen::Index>(k)] = z[island.unknowns[k]];
  return part;
}

}  // namespace perp
