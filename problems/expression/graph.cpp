#include <perp/problems/expression/graph.hpp>

#include <fmt/format.h>
#include <array>
#include <cmath>
#include <cstdint>
#include <perp/problems/expression/kernels.hpp>
#include <stdexcept>
#include <string>

namespace perp {

namespace {

struct OperationFacts {
  std::string_view name;
  int arity;
};

// In the order of Operation.
constexpr std::array<OperationFacts, kOperations> kFacts = {{
    {"const", 0}, {"var", 0},  {"par", 0},      {"neg", 1},           {"sqrt", 1},
    {"exp", 1},   {"log", 1},  {"sin", 1},      {"cos", 1},           {"tan", 1},
    {"atan", 1},  {"tanh", 1}, {"abs", 1},      {"add", 2},           {"sub", 2},
    {"mul", 2},   {"div", 2},  {"pow", 2},      {"min", 2},           {"max", 2},
    {"norm", -1}, {"sign", 1}, {"at_least", 2}, {"ratio_or_zero", 2}, {"pow_log", 2},
}};

template <class T, std::size_t... I>
constexpr std::array<T (*)(T, T), sizeof...(I)> kernels(std::index_sequence<I...>) {
  return {kernel<static_cast<Operation>(I), T>...};
}

template <class T>
constexpr std::array<T (*)(T, T), kOperations> kKernels =
    kernels<T>(std::make_index_sequence<kOperations>());

template <class T>
T evaluate_as(Operation operation, std::span<const T> operands) {
  if (operation == Operation::kNorm)
    return norm_of(static_cast<int>(operands.size()), [&](int k) { return operands[k]; });
  return kKernels<T>[static_cast<int>(operation)](operands[0], operands.back());
}

template <class T>
void evaluate_graph(const ExpressionGraph& graph, const Eigen::VectorXd& variables,
                    const Eigen::VectorXd& parameters, std::vector<T>& values,
                    std::vector<T>& operands, Eigen::Matrix<T, Eigen::Dynamic, 1>& result) {
  values.resize(graph.nodes.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const ExpressionGraph::Node& node = graph.nodes[i];
    if (node.operation == Operation::kConstant) {
      values[i] = node.value;
    } else if (node.operation == Operation::kVariable) {
      values[i] = variables[node.first];
    } else if (node.operation == Operation::kParameter) {
      values[i] = parameters[node.first];
    } else {
      operands.clear();
      for (const int operand : graph.operands_of(node)) operands.push_back(values[operand]);
      values[i] = evaluate_as<T>(node.operation, operands);
    }
  }
  result.resize(static_cast<Eigen::Index>(graph.outputs.size()));
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) result[i] = values[graph.outputs[i]];
}

constexpr int kFirstDerivativeOperation = static_cast<int>(Operation::kSign);

}  // namespace

std::string_view to_string(Operation operation) { return kFacts[static_cast<int>(operation)].name; }

int arity(Operation operation) { return kFacts[static_cast<int>(operation)].arity; }

Operation operation_from(std::string_view name) {
  for (int i = 0; i < kFirstDerivativeOperation; ++i) {
    if (kFacts[i].name == name) return static_cast<Operation>(i);
  }
  throw std::invalid_argument(fmt::format("unknown operation \"{}\"", name));
}

double evaluate(Operation operation, std::span<const double> operands) {
  return evaluate_as<double>(operation, operands);
}

int ExpressionGraph::add(Operation operation, std::span<const int> node_operands) {
  constexpr std::size_t kMost = INT32_MAX;
  if (operands.size() > kMost - node_operands.size() || nodes.size() >= kMost)
    throw std::length_error("graph: has too many operations");
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
    } else if (static_cast<int>(node.operation) >= kFirstDerivativeOperation) {
      fail(i, fmt::format("{} stands in derivatives only", to_string(node.operation)));
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
  std::vector<double> values, operands_of_node;
  Eigen::VectorXd result;
  evaluate_graph(*this, variables, parameters, values, operands_of_node, result);
  return result;
}

void ExpressionGraph::evaluate_extended(
    const Eigen::VectorXd& variables, const Eigen::VectorXd& parameters, ExtendedWorkspace& work,
    Eigen::Matrix<long double, Eigen::Dynamic, 1>& result) const {
  evaluate_graph(*this, variables, parameters, work.values, work.operands, result);
}

}  // namespace perp
