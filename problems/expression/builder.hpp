// Builds an expression graph that holds every subexpression once.
#pragma once

#include <perp/problems/expression/graph.hpp>
#include <span>
#include <unordered_set>
#include <vector>

namespace perp {

/// The index that stands for "no node".
inline constexpr int kNoNode = -1;

/// Grows a graph node by node. The same operation on the same operands gives the same node
/// (hash-consing; a + b and b + a are the same node). Constants are folded if the result is finite.
/// Neutral operations are left out: x + 0, x - x, 0 x, 1 x, x / 1, x^1, double signs. 0 x becomes 0
/// even if x may be infinite, unless keep_domain() is on. Signs move outwards, (-a) b = -(a b), so
/// that terms that differ only in sign share a node. All of this is exact in floating-point
/// arithmetic, up to the sign of a zero.
///
/// Operands are earlier nodes, so every walk over the graph is a loop; nothing recurses.
class GraphBuilder {
 public:
  GraphBuilder();
  GraphBuilder(const GraphBuilder&) = delete;
  GraphBuilder& operator=(const GraphBuilder&) = delete;

  /// If on, x - x, 0 x, 0 / x and x^0 stay as they are unless x is defined for all values of the
  /// variables and parameters: what is built has the domain of what was written. Off at first;
  /// derivatives need 0 x = 0, as of a constant times a logarithm.
  void keep_domain(bool on) { keeps_domain_ = on; }

  /// @throws std::invalid_argument if the value is not finite.
  int constant(double value);
  /// @throws std::invalid_argument if the index is negative.
  int variable(int index);
  /// @throws std::invalid_argument if the index is negative.
  int parameter(int index);
  /// Any operation that is no leaf. `operands` must not lie in this graph's own storage.
  int apply(Operation operation, std::span<const int> operands);
  int apply(Operation operation, int a);
  int apply(Operation operation, int a, int b);

  /// The outputs of `function` as nodes of this graph, with node variables[i] in place of its
  /// variable i and node parameters[i] in place of its parameter i. The whole function is added to
  /// the graph; nodes that exist already are shared.
  /// @throws std::invalid_argument if the function has more variables or parameters than are given.
  std::vector<int> call(const ExpressionGraph& function, std::span<const int> variables,
                        std::span<const int> parameters);

  const ExpressionGraph& graph() const { return graph_; }
  const ExpressionGraph::Node& node(int index) const { return graph_.nodes[index]; }
  bool is_constant(int index) const { return node(index).operation == Operation::kConstant; }
  /// True for the constant `value`.
  bool is(int index, double value) const {
    return is_constant(index) && node(index).value == value;
  }

  /// A graph with these outputs: the part of this graph that they need.
  ExpressionGraph extract(std::span<const int> outputs) const;

 private:
  struct Hash {
    const ExpressionGraph* graph;
    std::size_t operator()(int index) const;
  };
  struct Equal {
    const ExpressionGraph* graph;
    bool operator()(int a, int b) const;
  };

  int share_last_node();
  bool is_total(const ExpressionGraph::Node& node) const;
  bool may_drop(int index) const { return !keeps_domain_ || total_[index] != 0; }
  int fold(Operation operation, std::span<const int> operands);
  int simplify_unary(Operation operation, int a);
  int simplify_binary(Operation operation, int a, int b);
  int simplify_add(int a, int b);
  int simplify_subtract(int a, int b);
  int simplify_multiply(int a, int b);
  int simplify_divide(int a, int b);
  int apply_norm(std::span<const int> operands);
  bool is_negated(int index) const { return node(index).operation == Operation::kNegate; }
  int operand(int index, int k) const { return graph_.operands[node(index).first + k]; }

  ExpressionGraph graph_;
  bool keeps_domain_ = false;
  std::vector<char> total_;  // for each node, whether it is defined everywhere, overflow left aside
  std::unordered_set<int, Hash, Equal> shared_;
};

}  // namespace perp
