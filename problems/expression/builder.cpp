#include <perp/problems/expression/builder.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>

namespace perp {

namespace {

using enum Operation;

std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 29);
}

}  // namespace

std::size_t GraphBuilder::Hash::operator()(int index) const {
  const ExpressionGraph::Node& n = graph->nodes[index];
  std::uint64_t hash = mix(0, static_cast<std::uint64_t>(n.operation));
  if (n.operation == kConstant) return mix(hash, std::bit_cast<std::uint64_t>(n.value));
  if (n.count == 0) return mix(hash, static_cast<std::uint64_t>(n.first));
  for (const int operand : graph->operands_of(n)) {
    hash = mix(hash, static_cast<std::uint64_t>(operand));
  }
  return hash;
}

bool GraphBuilder::Equal::operator()(int a, int b) const {
  const ExpressionGraph::Node &m = graph->nodes[a], &n = graph->nodes[b];
  if (m.operation != n.operation || m.count != n.count) return false;
  if (m.operation == kConstant) {
    return std::bit_cast<std::uint64_t>(m.value) == std::bit_cast<std::uint64_t>(n.value);
  }
  if (m.count == 0) return m.first == n.first;
  return std::ranges::equal(graph->operands_of(m), graph->operands_of(n));
}

GraphBuilder::GraphBuilder() : shared_(64, Hash{&graph_}, Equal{&graph_}) {}

bool GraphBuilder::is_total(const ExpressionGraph::Node& n) const {
  const auto operands = graph_.operands_of(n);
  const auto is_whole = [&](int index) {
    const double value = node(index).value;
    return is_constant(index) && value >= 0.0 && value == std::floor(value);
  };
  switch (n.operation) {
    case kSqrt:
    case kLog:
    case kPowLog:
      return false;
    case kDivide:
      if (!is_constant(operands[1])) return false;
      break;
    case kPow:
      if (!is_whole(operands[1])) return false;
      break;
    default:
      break;
  }
  return std::ranges::all_of(operands, [&](int k) { return total_[k] != 0; });
}

// The last node, or the equal one that was there before.
int GraphBuilder::share_last_node() {
  const int last = static_cast<int>(graph_.nodes.size()) - 1;
  const auto [it, is_new] = shared_.insert(last);
  if (!is_new) {
    const int count = graph_.nodes.back().count;
    graph_.operands.resize(graph_.operands.size() - static_cast<std::size_t>(count));
    graph_.nodes.pop_back();
  } else {
    total_.push_back(is_total(graph_.nodes.back()));
  }
  return *it;
}

int GraphBuilder::constant(double value) {
  if (!std::isfinite(value)) {
    throw std::invalid_argument(fmt::format("expression: the constant {} is not finite", value));
  }
  graph_.add_constant(value);
  return share_last_node();
}

int GraphBuilder::variable(int index) {
  if (index < 0) throw std::invalid_argument(fmt::format("expression: variable {}", index));
  graph_.add_leaf(kVariable, index);
  return share_last_node();
}

int GraphBuilder::parameter(int index) {
  if (index < 0) throw std::invalid_argument(fmt::format("expression: parameter {}", index));
  graph_.add_leaf(kParameter, index);
  return share_last_node();
}

int GraphBuilder::apply(Operation operation, int a) {
  return apply(operation, std::span<const int>(&a, 1));
}

int GraphBuilder::apply(Operation operation, int a, int b) {
  const int operands[2] = {a, b};
  return apply(operation, operands);
}

int GraphBuilder::apply(Operation operation, std::span<const int> operands) {
  if (operation == kNorm) return apply_norm(operands);
  if (const int folded = fold(operation, operands); folded != kNoNode) return folded;
  const bool one = operands.size() == 1;
  const int simpler = one ? simplify_unary(operation, operands[0])
                          : simplify_binary(operation, operands[0], operands[1]);
  if (simpler != kNoNode) return simpler;
  const bool swap =
      (operation == kAdd || operation == kMultiply) && !one && operands[0] > operands[1];
  if (swap) {
    graph_.add(operation, {operands[1], operands[0]});
  } else {
    graph_.add(operation, operands);
  }
  return share_last_node();
}

int GraphBuilder::fold(Operation operation, std::span<const int> operands) {
  std::vector<double> values;
  for (const int operand : operands) {
    if (!is_constant(operand)) return kNoNode;
    values.push_back(node(operand).value);
  }
  const double value = evaluate(operation, values);
  return std::isfinite(value) ? constant(value) : kNoNode;
}

int GraphBuilder::apply_norm(std::span<const int> operands) {
  if (const int folded = fold(kNorm, operands); folded != kNoNode) return folded;
  std::vector<int> kept;
  for (const int operand : operands) {
    if (!is(operand, 0.0))
      kept.push_back(is_negated(operand) ? this->operand(operand, 0) : operand);
  }
  if (kept.size() == 1) return apply(kAbs, kept[0]);
  graph_.add(kNorm, kept);
  return share_last_node();
}

int GraphBuilder::simplify_unary(Operation operation, int a) {
  if (operation == kNegate) {
    if (is_negated(a)) return operand(a, 0);
    if (node(a).operation == kSubtract) return apply(kSubtract, operand(a, 1), operand(a, 0));
  }
  if (operation == kAbs) {
    if (node(a).operation == kAbs) return a;
    if (is_negated(a)) return apply(kAbs, operand(a, 0));
  }
  return kNoNode;
}

int GraphBuilder::simplify_binary(Operation operation, int a, int b) {
  switch (operation) {
    case kAdd:
      return simplify_add(a, b);
    case kSubtract:
      return simplify_subtract(a, b);
    case kMultiply:
      return simplify_multiply(a, b);
    case kDivide:
      return simplify_divide(a, b);
    case kPow:
      if (is(b, 0.0) && may_drop(a)) return constant(1.0);
      return is(b, 1.0) ? a : kNoNode;
    case kMin:
    case kMax:
      return a == b ? a : kNoNode;
    default:
      return kNoNode;
  }
}

int GraphBuilder::simplify_add(int a, int b) {
  if (is(a, 0.0)) return b;
  if (is(b, 0.0)) return a;
  if (is_negated(b)) return apply(kSubtract, a, operand(b, 0));
  if (is_negated(a)) return apply(kSubtract, b, operand(a, 0));
  return kNoNode;
}

int GraphBuilder::simplify_subtract(int a, int b) {
  if (a == b && may_drop(a)) return constant(0.0);
  if (is(b, 0.0)) return a;
  if (is(a, 0.0)) return apply(kNegate, b);
  if (is_negated(b)) return apply(kAdd, a, operand(b, 0));
  if (is_negated(a)) return apply(kNegate, apply(kAdd, operand(a, 0), b));
  return kNoNode;
}

int GraphBuilder::simplify_multiply(int a, int b) {
  if ((is(a, 0.0) && may_drop(b)) || (is(b, 0.0) && may_drop(a))) return constant(0.0);
  if (is(a, 1.0)) return b;
  if (is(b, 1.0)) return a;
  if (is(a, -1.0)) return apply(kNegate, b);
  if (is(b, -1.0)) return apply(kNegate, a);
  if (is_negated(a)) return apply(kNegate, apply(kMultiply, operand(a, 0), b));
  if (is_negated(b)) return apply(kNegate, apply(kMultiply, a, operand(b, 0)));
  return kNoNode;
}

int GraphBuilder::simplify_divide(int a, int b) {
  if (is(a, 0.0) && is_constant(b) && !is(b, 0.0)) return constant(0.0);
  if (is(a, 0.0) && !keeps_domain_) return constant(0.0);
  if (is(b, 1.0)) return a;
  if (is(b, -1.0)) return apply(kNegate, a);
  if (is_negated(a)) return apply(kNegate, apply(kDivide, operand(a, 0), b));
  if (is_negated(b)) return apply(kNegate, apply(kDivide, a, operand(b, 0)));
  return kNoNode;
}

std::vector<int> GraphBuilder::call(const ExpressionGraph& function, std::span<const int> variables,
                                    std::span<const int> parameters) {
  function.check(static_cast<int>(variables.size()), static_cast<int>(parameters.size()));
  std::vector<int> image(function.nodes.size()), operands;
  for (std::size_t i = 0; i < function.nodes.size(); ++i) {
    const ExpressionGraph::Node& n = function.nodes[i];
    if (n.operation == kConstant) {
      image[i] = constant(n.value);
    } else if (n.operation == kVariable) {
      image[i] = variables[n.first];
    } else if (n.operation == kParameter) {
      image[i] = parameters[n.first];
    } else {
      operands.clear();
      for (const int operand : function.operands_of(n)) operands.push_back(image[operand]);
      image[i] = apply(n.operation, operands);
    }
  }
  std::vector<int> outputs;
  for (const int output : function.outputs) outputs.push_back(image[output]);
  return outputs;
}

ExpressionGraph GraphBuilder::extract(std::span<const int> outputs) const {
  std::vector<char> needed(graph_.nodes.size(), 0);
  for (const int output : outputs) needed[output] = 1;
  for (std::size_t i = graph_.nodes.size(); i-- > 0;) {
    if (!needed[i]) continue;
    for (const int operand : graph_.operands_of(graph_.nodes[i])) needed[operand] = 1;
  }
  ExpressionGraph part;
  std::vector<int> image(graph_.nodes.size(), kNoNode), operands;
  for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
    if (!needed[i]) continue;
    const ExpressionGraph::Node& n = graph_.nodes[i];
    image[i] = static_cast<int>(part.nodes.size());
    if (n.count == 0) {
      part.nodes.push_back(n);
      continue;
    }
    operands.clear();
    for (const int operand : graph_.operands_of(n)) operands.push_back(image[operand]);
    part.add(n.operation, operands);
  }
  for (const int output : outputs) part.outputs.push_back(image[output]);
  return part;
}

}  // namespace perp
