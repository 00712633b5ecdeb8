// Exact sparse Jacobians of expression graphs.
#pragma once

#include <perp/problems/expression/builder.hpp>
#include <perp/problems/limits/deadline.hpp>
#include <span>
#include <vector>

namespace perp {

struct JacobianEntry {
  int row;     ///< index into the outputs
  int column;  ///< index of the variable
  int node;    ///< the derivative, in the same graph; never the constant 0
};

/// Writes d outputs / d variables into the builder's graph. Entries by columns, then rows.
///
/// The graph is linearised: an edge from each operation to each operand carries the partial
/// derivative, a node of the same graph. Then the operations between outputs and variables are
/// eliminated one after another, c_{ij} += c_{ik} c_{kj} over the users i and the operands j of k,
/// each time the one with the smallest product of their numbers: vertex elimination in Markowitz
/// order [GriewankWalther2008, Ch. 9]. Forward and reverse mode are two other orders; this one
/// needs no choice between them, multiplies less where the graph narrows in the middle, and what
/// rows have in common is computed once because the builder shares it.
///
/// Partials are those of the operations; where one is not differentiable, an element of the
/// generalised Jacobian (of the operation): abs at 0 has 0; of equal operands max has the gradient
/// of the first and min that of the second, so that max + min keeps that of the sum; norm at 0 has
/// 0. sqrt at 0 has inf. a^b with constant b is differentiated as b a^(b - 1), exact also for a < 0
/// where b is an integer; with variable b the derivative by b is a^b log a, 0 at a = 0 < b and NaN
/// for a < 0.
/// @throws DeadlinePassed; std::length_error where the operations are too many to be numbered.
std::vector<JacobianEntry> differentiate(GraphBuilder& builder, std::span<const int> outputs,
                                         const Deadline& deadline = Deadline());

}  // namespace perp
