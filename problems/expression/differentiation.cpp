#include <perp/problems/expression/differentiation.hpp>

#include <algorithm>
#include <map>
#include <queue>
#include <set>
#include <tuple>

namespace perp {

namespace {

using enum Operation;

// Partial derivative of node `f` = g(a) by its only operand.
int partial_of_unary(GraphBuilder& b, Operation operation, int f, int a) {
  switch (operation) {
    case kNegate:
      return b.constant(-1.0);
    case kSqrt:
      return b.apply(kDivide, b.constant(0.5), f);
    case kExp:
      return f;
    case kLog:
      return b.apply(kDivide, b.constant(1.0), a);
    case kSin:
      return b.apply(kCos, a);
    case kCos:
      return b.apply(kNegate, b.apply(kSin, a));
    case kTan:
      return b.apply(kAdd, b.constant(1.0), b.apply(kMultiply, f, f));
    case kAtan:
      return b.apply(kDivide, b.constant(1.0),
                     b.apply(kAdd, b.constant(1.0), b.apply(kMultiply, a, a)));
    case kTanh:
      return b.apply(kSubtract, b.constant(1.0), b.apply(kMultiply, f, f));
    default:
      return b.apply(kSign, a);
  }
}

// Partial derivative of node `f` = g(x, y) by x (k = 0) or y (k = 1).
int partial_of_binary(GraphBuilder& b, Operation operation, int f, int x, int y, int k) {
  const auto one_where = [&](int step, bool other) {
    return other ? b.apply(kSubtract, b.constant(1.0), step) : step;
  };
  switch (operation) {
    case kAdd:
      return b.constant(1.0);
    case kSubtract:
      return b.constant(k == 0 ? 1.0 : -1.0);
    case kMultiply:
      return k == 0 ? y : x;
    case kDivide:
      if (k == 0) return b.apply(kDivide, b.constant(1.0), y);
      return b.apply(kNegate, b.apply(kDivide, f, y));
    case kPow:
      if (k == 1) return b.apply(kPowLog, x, y);
      return b.apply(kMultiply, y, b.apply(kPow, x, b.apply(kSubtract, y, b.constant(1.0))));
    case kMin:
      return one_where(b.apply(kAtLeast, x, y), k == 0);
    default:
      return one_where(b.apply(kAtLeast, x, y), k == 1);
  }
}

int partial(GraphBuilder& b, int f, std::span<const int> operands, int k) {
  const Operation operation = b.node(f).operation;
  if (operation == kNorm) return b.apply(kRatioOrZero, operands[k], f);
  if (operands.size() == 1) return partial_of_unary(b, operation, f, operands[0]);
  return partial_of_binary(b, operation, f, operands[0], operands[1], k);
}

// The linearised graph: its first vertices are the nodes of the graph, then come the outputs.
class LinearisedGraph {
 public:
  LinearisedGraph(GraphBuilder& builder, std::span<const int> outputs)
      : builder_(builder), nodes_(static_cast<int>(builder.graph().nodes.size())) {
    operands_.resize(static_cast<std::size_t>(nodes_) + outputs.size());
    users_.resize(nodes_);
    const std::vector<char> varies = mark_variable(), needed = mark_needed(outputs);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (varies[outputs[i]]) {
        add_edge(nodes_ + static_cast<int>(i), outputs[i], builder.constant(1.0));
      }
    }
    for (int f = nodes_ - 1; f >= 0; --f) {
      if (!needed[f] || !varies[f]) continue;
      // Copied: the graph grows while partials are written.
      const std::span<const int> view = builder.graph().operands_of(builder.node(f));
      const std::vector<int> operands(view.begin(), view.end());
      for (std::size_t k = 0; k < operands.size(); ++k) {
        if (varies[operands[k]]) {
          add_edge(f, operands[k], partial(builder, f, operands, static_cast<int>(k)));
        }
      }
    }
  }

  // Eliminates every operation, the cheapest first; of equally cheap ones the first in the graph.
  void eliminate_operations(const Deadline& deadline) {
    using Candidate = std::pair<long, int>;
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
    for (int v = 0; v < nodes_; ++v) {
      if (!operands_[v].empty()) queue.emplace(cost(v), v);
    }
    while (!queue.empty()) {
      const auto [expected, v] = queue.top();
      queue.pop();
      if (operands_[v].empty()) continue;
      if (const long actual = cost(v); actual > expected) {
        queue.emplace(actual, v);
        continue;
      }
      for (const int user : users_[v]) {
        const int outer = operands_[user].at(v);
        operands_[user].erase(v);
        if (deadline.passed()) throw DeadlinePassed("the Jacobian took too long to be derived");
        for (const auto& [operand, inner] : operands_[v]) {
          add_edge(user, operand, builder_.apply(kMultiply, outer, inner));
        }
      }
      for (const auto& [operand, inner] : operands_[v]) {
        users_[operand].erase(v);
        if (!operands_[operand].empty()) queue.emplace(cost(operand), operand);
      }
      for (const int user : users_[v]) {
        if (user < nodes_) queue.emplace(cost(user), user);
      }
      operands_[v].clear();
      users_[v].clear();
    }
  }

  /// What output i depends on: node of a variable -> derivative.
  const std::map<int, int>& row(int i) const { return operands_[nodes_ + i]; }

 private:
  std::vector<char> mark_variable() const {
    std::vector<char> varies(nodes_, 0);
    for (int v = 0; v < nodes_; ++v) {
      const ExpressionGraph::Node& n = builder_.node(v);
      varies[v] = n.operation == kVariable;
      for (const int operand : builder_.graph().operands_of(n)) varies[v] |= varies[operand];
    }
    return varies;
  }

  std::vector<char> mark_needed(std::span<const int> outputs) const {
    std::vector<char> needed(nodes_, 0);
    for (const int output : outputs) needed[output] = 1;
    for (int v = nodes_ - 1; v >= 0; --v) {
      if (!needed[v]) continue;
      for (const int operand : builder_.graph().operands_of(builder_.node(v))) needed[operand] = 1;
    }
    return needed;
  }

  void add_edge(int user, int operand, int weight) {
    const auto [it, is_new] = operands_[user].try_emplace(operand, weight);
    if (!is_new) it->second = builder_.apply(kAdd, it->second, weight);
    users_[operand].insert(user);
  }

  long cost(int v) const {
    return static_cast<long>(operands_[v].size()) * static_cast<long>(users_[v].size());
  }

  GraphBuilder& builder_;
  int nodes_;
  std::vector<std::map<int, int>> operands_;  // of each vertex, with the weight of the edge
  std::vector<std::set<int>> users_;
};

}  // namespace

std::vector<JacobianEntry> differentiate(GraphBuilder& builder, std::span<const int> outputs,
                                         const Deadline& deadline) {
  LinearisedGraph linearised(builder, outputs);
  linearised.eliminate_operations(deadline);
  std::vector<JacobianEntry> entries;
  for (int row = 0; row < static_cast<int>(outputs.size()); ++row) {
    for (const auto& [node, derivative] : linearised.row(row)) {
      if (!builder.is(derivative, 0.0)) {
        entries.push_back({row, builder.node(node).first, derivative});
      }
    }
  }
  std::ranges::sort(entries, {},
                    [](const JacobianEntry& e) { return std::tuple(e.column, e.row); });
  return entries;
}

}  // namespace perp
