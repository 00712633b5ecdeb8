// Nonlinear functions as data: a flat list of operations on variables and parameters.
#pragma once

#include <Eigen/Core>
#include <array>
#include <string_view>
#include <vector>

namespace perp {

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
};

/// Name of the operation in JSON ("add", "var", ...).
std::string_view to_string(Operation operation);
/// @throws std::invalid_argument where there is no such operation.
Operation operation_from(std::string_view name);
/// Number of operands: 0 for leaves, -1 for norm (one or more).
int arity(Operation operation);

/// F: (z, p) -> outputs, as nodes in topological order: operands stand before the node that uses
/// them.
struct ExpressionGraph {
  struct Node {
    Operation operation;
    double value = 0.0;  ///< of a constant
    int first = 0;  ///< index of the variable or parameter, or of the first operand in `operands`
    int count = 0;  ///< number of operands
  };
  std::vector<Node> nodes;
  std::vector<int> operands;  ///< node indices, `count` of them from `first` on
  std::vector<int> outputs;   ///< node indices

  /// Appends a node and returns its index.
  int add(Operation operation, const std::vector<int>& node_operands);
  int add_constant(double value);
  int add_leaf(Operation variable_or_parameter, int index);

  /// @throws std::invalid_argument naming the node: operand not before its node, leaf out of range.
  void check(int variables, int parameters) const;

  /// Values of the outputs. Nonsmooth nodes are evaluated as they stand.
  Eigen::VectorXd evaluate(const Eigen::VectorXd& variables,
                           const Eigen::VectorXd& parameters) const;
};

}  // namespace perp
