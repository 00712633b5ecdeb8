// Nonlinear functions as data: a flat list of operations on variables and parameters.
#pragma once

#include <Eigen/Core>
#include <initializer_list>
#include <perp/problems/matrix/eigen_layout.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace perp {

/// The operations of a graph, and its leaves.
enum class Operation : unsigned char {
  kConstant,
  kVariable,
  kParameter,
  kNegate,
  kSqrt,
  kExp,
  kLog,
  kSin,
  kCos,
  kTan,
  kAtan,
  kTanh,
  kAbs,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kPow,
  kMin,
  kMax,
  kNorm,
  // Made by differentiation only: they have no JSON form, and ExpressionGraph::check refuses them.
  kSign,         ///< -1, 0 or 1
  kAtLeast,      ///< 1 if a >= b, else 0
  kRatioOrZero,  ///< a / b, 0 if b = 0
  kPowLog,       ///< a^b log a, 0 if a = 0 < b
};
inline constexpr int kOperations = static_cast<int>(Operation::kPowLog) + 1;

/// Name of the operation in JSON ("add", "var", ...).
std::string_view to_string(Operation operation);
/// The operation of that name. @throws std::invalid_argument if there is none.
Operation operation_from(std::string_view name);
/// Number of operands: 0 for leaves, -1 for norm (one or more).
int arity(Operation operation);
/// Value of an operation that is no leaf. min and max of a NaN are NaN.
double evaluate(Operation operation, std::span<const double> operands);

/// F: (z, p) -> outputs, as nodes in topological order: the operands of a node stand before it.
struct ExpressionGraph {
  /// An operation, or a number, variable or parameter.
  struct Node {
    Operation operation;
    double value = 0.0;  ///< of a constant
    int first = 0;  ///< index of the variable or parameter, or of the first operand in `operands`
    int count = 0;  ///< number of operands
  };
  std::vector<Node> nodes;
  std::vector<int> operands;  ///< node indices, `count` of them from `first` on
  std::vector<int> outputs;   ///< node indices

  /// Appends a node and returns its index. @throws std::length_error at more than 2^31 - 1 nodes or
  /// operands
  int add(Operation operation, std::span<const int> node_operands);
  int add(Operation operation, std::initializer_list<int> node_operands) {
    return add(operation, std::span<const int>(node_operands.begin(), node_operands.size()));
  }
  int add_constant(double value);
  int add_leaf(Operation variable_or_parameter, int index);

  std::span<const int> operands_of(const Node& node) const {
    if (node.count == 0) return {};
    return {operands.data() + node.first, static_cast<std::size_t>(node.count)};
  }

  /// @throws std::invalid_argument naming the node or output: a constant that is not finite, a
  /// variable or parameter out of range, an operation of derivatives, a wrong number of operands,
  /// an operand that is no earlier node, an output that is no node.
  void check(int variables, int parameters) const;

  /// Values of the outputs, computed node by node: slow, and independent of CompiledFunction.
  Eigen::VectorXd evaluate(const Eigen::VectorXd& variables,
                           const Eigen::VectorXd& parameters) const;
  /// Work space of evaluate_extended(): the values of the nodes, and of the operands of one node.
  struct ExtendedWorkspace {
    std::vector<long double> values, operands;
  };
  /// The same in extended precision (64 bits of mantissa on x86), leaves included.
  /// @param work memory is allocated only if its sizes change
  void evaluate_extended(const Eigen::VectorXd& variables, const Eigen::VectorXd& parameters,
                         ExtendedWorkspace& work,
                         Eigen::Matrix<long double, Eigen::Dynamic, 1>& result) const;
};

}  // namespace perp
