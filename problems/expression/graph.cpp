#include <perp/problems/expression/graph.hpp>

#include <fmt/format.h>
#include <cmath>
#include <stdexcept>
#include <string>

namespace perp {

namespace {

struct OperationFacts {
  std::string_view name;
  int arity;
};

// In the order of Operation.
constexpr std::array<OperationFacts, 21> kFacts = {{
    {"const", 0}, {"var", 0}, {"par", 0}, {"neg", 1},  {"sqrt", 1}, {"exp", 1}, {"log", 1},
    {"sin", 1},   {"cos", 1}, {"tan", 1}, {"atan", 1}, {"tanh", 1}, {"abs", 1}, {"add", 2},
    {"sub", 2},   {"mul", 2}, {"div", 2}, {"pow", 2},  {"min", 2},  {"max", 2}, {"norm", -1},
}};

double unary(Operation operation, double a) {
  switch (operation) {
    case Operation::kNegate:
      return -a;
    case Operation::kSqrt:
      return std::sqrt(a);
    case Operation::kExp:
      return std::exp(a);
    case Operation::kLog:
      return std::log(a);
    case Operation::kSin:
      return std::sin(a);
    case Operation::kCos:
      return std::cos(a);
    case Operation::kTan:
      return std::tan(a);
    case Operation::kAtan:
      return std::atan(a);
    case Operation::kTanh:
      return std::tanh(a);
    default:
      return std::abs(a);
  }
}

double binary(Operation operation, double a, double b) {
  switch (operation) {
    case Operation::kAdd:
      return a + b;
    case Operation::kSubtract:
      return a - b;
    case Operation::kMultiply:
      return a * b;
    case Operation::kDivide:
      return a / b;
    case Operation::kPow:
      return std::pow(a, b);
    case Operation::kMin:
      return std::min(a, b);
    default:
      return std::max(a, b);
  }
}

}  // namespace

std::string_view to_string(Operation operation) { return kFacts[static_cast<int>(operation)].name; }

int arity(Operation operation) { return kFacts[static_cast<int>(operation)].arity; }

Operation operation_from(std::string_view name) {
  for (std::size_t i = 0; i < kFacts.size(); ++i) {
    if (kFacts[i].name == name) return static_cast<Operation>(i);
  }
  throw std::invalid_argument(fmt::format("unknown operation \"{}\"", name));
}

int ExpressionGraph::add(Operation operation, const std::vector<int>& node_operands) {
  const int first = static_cast<int>(operands.size());
  operands.insert(operands.end(), node_operands.begin(), node_operands.end());
  nodes.push_back({operation, 0.0, first, static_cast<int>(node_operands.size())});
  return static_cast<int>(nodes.size()) - 1;
}

int ExpressionGraph::add_constant(double value) {
  nodes.push_back({Operation::kConstant, value, 0, 0});
  return static_cast<int>(nodes.size()) - 1;
}

int ExpressionGraph::add_leaf(Operation variable_or_parameter, int index) {
  nodes.push_back({variable_or_parameter, 0.0, index, 0});
  return static_cast<int>(nodes.size()) - 1;
}

void ExpressionGraph::check(int variables, int parameters) const {
  const auto fail = [](std::size_t node, const std::string& what) {
    throw std::invalid_argument(fmt::format("graph.nodes[{}]: {}", node, what));
  };
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    if (node.operation == Operation::kConstant) {
      if (!std::isfinite(node.value)) fail(i, "the constant is not finite");
    } else if (node.operation == Operation::kVariable || node.operation == Operation::kParameter) {
      const bool variable = node.operation == Operation::kVariable;
      if (node.first < 0 || node.first >= (variable ? variables : parameters)) {
        fail(i, fmt::format("there is no {} {}", variable ? "variable" : "parameter", node.first));
      }
    } else {
      const int expected = arity(node.operation);
      if (expected >= 0 ? node.count != expected : node.count < 1) {
        fail(i, fmt::format("{} has {} operands", to_string(node.operation), node.count));
      }
      for (int k = 0; k < node.count; ++k) {
        const int operand = operands[node.first + k];
        if (operand < 0 || operand >= static_cast<int>(i)) {
          fail(i, fmt::format("operand {} is not an earlier node", operand));
        }
      }
    }
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i] < 0 || outputs[i] >= static_cast<int>(nodes.size())) {
      throw std::invalid_argument(
          fmt::format("graph.outputs[{}]: there is no node {}", i, outputs[i]));
    }
  }
}

Eigen::VectorXd ExpressionGraph::evaluate(const Eigen::VectorXd& variables,
                                          const Eigen::VectorXd& parameters) const {
  std::vector<double> values(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    const auto operand = [&](int k) { return values[operands[node.first + k]]; };
    if (node.operation == Operation::kConstant) {
      values[i] = node.value;
    } else if (node.operation == Operation::kVariable) {
      values[i] = variables[node.first];
    } else if (node.operation == Operation::kParameter) {
      values[i] = parameters[node.first];
    } else if (node.operation == Operation::kNorm) {
      values[i] = 0.0;
      for (int k = 0; k < node.count; ++k) values[i] = std::hypot(values[i], operand(k));
    } else if (node.count == 1) {
      values[i] = unary(node.operation, operand(0));
    } else {
      values[i] = binary(node.operation, operand(0), operand(1));
    }
  }
  Eigen::VectorXd result(static_cast<Eigen::Index>(outputs.size()));
  for (std::size_t i = 0; i < outputs.size(); ++i) result[i] = values[outputs[i]];
  return result;
}

}  // namespace perp
