// Exact sparse Jacobians of expression graphs.
#pragma once

#include <perp/problems/expression/builder.hpp>
#include <perp/problems/limits/deadline.hpp>
#include <span>
#include <vector>

namespace perp {

/// An entry of a Jacobian as a node of the graph.
struct JacobianEntry {
  int row;     ///< index into the outputs
  int column;  ///< index of the variable
  int node;    ///< the derivative, in the same graph; never the constant 0
};

/// Writes d outputs / d variables into the builder's graph.
/// @return the entries, sorted by column, then by row
///
/// The graph is linearised: an edge from each operation to each operand carries the partial
/// derivative, a node of the same graph. Then the operations k between outputs and variables are
/// eliminated one after another: c_{ij} += c_{ik} c_{kj} for all users i and all operands j of k.
/// The next k is always the one with the smallest product of the number of its users and the number
/// of its operands. This is vertex elimination in Markowitz order [GriewankWalther2008, Ch. 9].
/// Forward and reverse mode are two other orders. Markowitz order needs no choice between them, and
/// it multiplies less if the graph narrows in the middle. What rows have in common is computed once
/// because the builder shares it.
///
/// At a point where an operation is not differentiable, its partial derivative is an element of its
/// generalised Jacobian. abs at 0 has 0, norm at 0 has 0. With equal operands, max has the gradient
/// of the first and min that of the second, so that max + min keeps the gradient of the sum. sqrt
/// at 0 has inf. a^b with a constant b is differentiated as b a^(b - 1), which is exact for a < 0
/// too if b is an integer. With a variable b the derivative by b is a^b log a; it is 0 at a = 0 < b
/// and NaN for a < 0.
/// @throws DeadlinePassed
/// @throws std::length_error if there are too many operations to be numbered
std::vector<JacobianEntry> differentiate(GraphBuilder& builder, std::span<const int> outputs,
                                         const Deadline& deadline = Deadline());

}  // namespace perp
