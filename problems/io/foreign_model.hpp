// What the foreign formats for complementarity problems have in common.
#pragma once

#include <map>
#include <perp/problems/expression/builder.hpp>
#include <perp/problems/standard/problem.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perp {

/// constant + sum coefficient * variable + sum coefficient * node of a graph.
struct RowTerms {
  double constant = 0.0;
  std::map<int, double> linear;     ///< by variable
  std::map<int, double> nonlinear;  ///< by node; no node is a sum, a leaf or a constant multiple
};

/// Takes nodes apart as far as they are sums with constant coefficients.
///
/// A sum that many rows share is taken apart for each of them, so a short file can ask for work and
/// terms without end. After so many steps that no model of its size should need them, a node is
/// left whole: it is its own nonlinear term. So is one with a coefficient that is not finite: 3/0
/// is an expression, but no number that a file could hold.
class AffineSplitter {
 public:
  explicit AffineSplitter(const GraphBuilder& builder);
  RowTerms split(int node);
  /// Whether a node was left whole.
  bool gave_up() const { return steps_left_ <= 0; }

 private:
  const GraphBuilder& builder_;
  std::size_t steps_left_;
};

/// The rows of an lcp, mlcp or mcp, its parameters put in. Rows are built in `builder`.
/// @throws std::invalid_argument for other kinds and for a callback.
std::vector<RowTerms> rows_of(const Problem& problem, GraphBuilder& builder);

/// The outputs of an mcp's graph as nodes of `builder`, its parameters put in.
std::vector<int> outputs_of(const Mcp& problem, GraphBuilder& builder);

/// Bounds of z: those of the problem, 0 and inf for an lcp.
std::pair<Vector, Vector> bounds_of(const Problem& problem);

/// Functions of other formats by their names ("+", "asin", "log10", ...), put together from the
/// operations of the graph where it has no such operation.
/// @return the node, or -1 where there is no such function of so many operands.
int apply_function(GraphBuilder& builder, std::string_view name, std::span<const int> operands);

/// A model in the making: variables with bounds, and rows that are equations or complement a
/// variable. Every reader fills one.
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

  /// The square problem: rows in the order of their variables; the equations belong, in their
  /// order, to the free variables that no row complements. A fixed variable may go without a row.
  /// The kind is the simplest that holds it: lcp, mlcp, mcp. A linear model whose matrix would be
  /// out of all proportion to the model stays an mcp, whose rows share their sums.
  /// @throws std::invalid_argument where rows and variables do not match one to one.
  ProblemData to_problem();

 private:
  std::vector<int> match_rows() const;
};

/// The problem, validated; its names are UTF-8. @throws InputError naming the file and the field.
Problem validated(Problem problem, const std::string& file);

}  // namespace perp
