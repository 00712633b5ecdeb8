#include <perp/problems/standard/mcp_part.hpp>

#include <algorithm>

namespace perp {

namespace {

using enum Operation;

constexpr int kNowhere = -1;

template <class T>
auto& entry(T& list, int index) {
  return list[static_cast<std::size_t>(index)];
}

}  // namespace

McpParts::McpParts(const Mcp& problem)
    : graph_(*problem.graph),
      nodes_(graph_.nodes.size(), kNowhere),
      unknowns_(static_cast<std::size_t>(problem.size()), kNowhere),
      fixed_(static_cast<std::size_t>(problem.size()), kNowhere),
      parameters_(static_cast<std::size_t>(problem.parameters.size()), kNowhere) {}

McpPart McpParts::part(std::vector<int> unknowns) {
  McpPart part;
  part.unknowns = std::move(unknowns);
  for (std::size_t k = 0; k < part.unknowns.size(); ++k)
    entry(unknowns_, part.unknowns[k]) = static_cast<int>(k);
  const std::vector<int> nodes = nodes_of(part);
  find_leaves(nodes, part);
  auto graph = std::make_shared<ExpressionGraph>();
  for (const int i : nodes) entry(nodes_, i) = copy(i, *graph);
  for (const int row : part.unknowns)
    graph->outputs.push_back(entry(nodes_, entry(graph_.outputs, row)));
  for (const int i : nodes) entry(nodes_, i) = kNowhere;
  for (const int i : part.unknowns) entry(unknowns_, i) = kNowhere;
  for (const int i : part.fixed) entry(fixed_, i) = kNowhere;
  for (const int p : part.parameters) entry(parameters_, p) = kNowhere;
  part.graph = std::move(graph);
  return part;
}

// The nodes that the rows of a part need, in ascending order.
std::vector<int> McpParts::nodes_of(const McpPart& part) {
  constexpr int kSeen = -2;
  std::vector<int> found, open;
  const auto see = [&](int node) {
    if (entry(nodes_, node) == kSeen) return;
    entry(nodes_, node) = kSeen;
    open.push_back(node);
  };
  for (const int row : part.unknowns) see(entry(graph_.outputs, row));
  while (!open.empty()) {
    const int node = open.back();
    open.pop_back();
    found.push_back(node);
    for (const int k : graph_.operands_of(entry(graph_.nodes, node))) see(k);
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Numbers the parameters and the fixed unknowns that these nodes read.
void McpParts::find_leaves(const std::vector<int>& nodes, McpPart& part) {
  for (const int i : nodes) {
    const ExpressionGraph::Node& node = entry(graph_.nodes, i);
    if (node.operation == kParameter && entry(parameters_, node.first) == kNowhere) {
      entry(parameters_, node.first) = static_cast<int>(part.parameters.size());
      part.parameters.push_back(node.first);
    } else if (node.operation == kVariable && entry(unknowns_, node.first) == kNowhere &&
               entry(fixed_, node.first) == kNowhere) {
      entry(fixed_, node.first) = static_cast<int>(part.fixed.size());
      part.fixed.push_back(node.first);
    }
  }
  for (const int i : part.fixed) entry(fixed_, i) += static_cast<int>(part.parameters.size());
}

int McpParts::copy(int index, ExpressionGraph& graph) {
  const ExpressionGraph::Node& node = entry(graph_.nodes, index);
  if (node.operation == kConstant) return graph.add_constant(node.value);
  if (node.operation == kParameter)
    return graph.add_leaf(kParameter, entry(parameters_, node.first));
  if (node.operation == kVariable) {
    const int unknown = entry(unknowns_, node.first);
    if (unknown != kNowhere) return graph.add_leaf(kVariable, unknown);
    return graph.add_leaf(kParameter, entry(fixed_, node.first));
  }
  operands_.clear();
  for (const int k : graph_.operands_of(node)) operands_.push_back(entry(nodes_, k));
  return graph.add(node.operation, operands_);
}

Mcp problem_of(const McpPart& part, const Mcp& whole, const Vector& z) {
  Mcp problem;
  problem.graph = part.graph;
  problem.parameters.resize(std::ssize(part.parameters) + std::ssize(part.fixed));
  Eigen::Index next = 0;
  for (const int p : part.parameters) problem.parameters[next++] = whole.parameters[p];
  for (const int i : part.fixed) problem.parameters[next++] = z[i];
  problem.lower = entries_of(part, whole.lower);
  problem.upper = entries_of(part, whole.upper);
  return problem;
}

Vector entries_of(const McpPart& part, const Vector& z) {
  Vector entries(std::ssize(part.unknowns));
  for (std::size_t k = 0; k < part.unknowns.size(); ++k)
    entries[static_cast<Eigen::Index>(k)] = z[part.unknowns[k]];
  return entries;
}

void write_entries(const McpPart& part, const Vector& entries, Vector& z) {
  for (std::size_t k = 0; k < part.unknowns.size(); ++k)
    z[part.unknowns[k]] = entries[static_cast<Eigen::Index>(k)];
}

}  // namespace perp
