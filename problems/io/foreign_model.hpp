// What the readers and writers of foreign formats for complementarity problems share.
#pragma once

#include <map>
#include <perp/problems/expression/builder.hpp>
#include <perp/problems/standard/problem.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perp {

/// A row: constant + sum of coefficient * variable + sum of coefficient * node of a graph.
struct RowTerms {
  double constant = 0.0;
  std::map<int, double> linear;     ///< coefficient by variable
  std::map<int, double> nonlinear;  ///< coefficient by node; no node is a sum, a leaf or a constant
  ///< multiple of another
};

/// Splits nodes into terms as far as they are sums with constant coefficients.
///
/// A sum that many rows share is split for each of them, so a short file can ask for work and terms
/// without end. After more steps than a model of its size should need, a node is left whole: it is
/// its own nonlinear term. A node is also left whole if a coefficient is not finite: 3/0 is an
/// expression, but no number that a file could hold.
class AffineSplitter {
 public:
  explicit AffineSplitter(const GraphBuilder& builder);
  RowTerms split(int node);
  /// Whether the steps were used up, so that a node was left whole.
  bool gave_up() const { return steps_left_ <= 0; }

 private:
  const GraphBuilder& builder_;
  std::size_t steps_left_;
};

/// The rows of an lcp, mlcp or mcp, with the values of its parameters inserted. Their nodes are
/// made in `builder`.
/// @throws std::invalid_argument for other kinds and for a callback.
std::vector<RowTerms> rows_of(const Problem& problem, GraphBuilder& builder);

/// The outputs of the graph of an mcp as nodes of `builder`, with the values of its parameters
/// inserted.
/// @throws std::invalid_argument if it has a callback
std::vector<int> outputs_of(const Mcp& problem, GraphBuilder& builder);

/// Bounds of z: those of the problem, 0 and inf for an lcp.
std::pair<Vector, Vector> bounds_of(const Problem& problem);

/// Applies a function of another format, given by its name ("+", "asin", "log10", ...). A function
/// that is no operation of the graph is composed of operations.
/// @return the node, or -1 if there is no function of that name with so many operands
int apply_function(GraphBuilder& builder, std::string_view name, std::span<const int> operands);

/// What a reader of a foreign format collects: variables with bounds, and rows. A row is an
/// equation or complements a variable.
struct ForeignModel {
  struct Row {
    std::string label;  ///< for messages
    int node = 0;       ///< F_i
    int variable = -1;  ///< the variable it complements; -1: the row is an equation
  };
  GraphBuilder builder;
  std::vector<double> lower, upper;
  std::vector<std::string> names;  ///< empty or one per variable
  std::vector<Row> rows;

  /// Name of a variable for messages.
  std::string shown(int variable) const;

  /// The square problem, with its rows in the order of their variables. The equations, in their
  /// order, belong to the free variables that no row complements. A fixed variable needs no row.
  /// The kind of the problem is the simplest that fits: lcp, mlcp, mcp. If a linear model would
  /// have a matrix that is far too large for the size of the model (AffineSplitter::gave_up), it
  /// stays an mcp, whose rows share their sums.
  /// @throws std::invalid_argument if rows and variables do not match one to one
  ProblemData to_problem();

 private:
  std::vector<int> match_rows() const;
};

/// Checks a problem that was read: validate(), and names must be UTF-8. @return the problem
/// @throws InputError naming the file and the field
Problem validated(Problem problem, const std::string& file);

}  // namespace perp
