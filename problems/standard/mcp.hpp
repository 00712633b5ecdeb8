// Nonlinear mixed complementarity problems.
#pragma once

#include <functional>
#include <memory>
#include <perp/problems/expression/compiled_function.hpp>
#include <perp/problems/expression/graph.hpp>
#include <perp/problems/standard/extended.hpp>

namespace perp {

/// MCP: l <= z <= u complementary to F(z), with F nonlinear. F is an expression graph (the form
/// that can be written to a file) or a callback. Solvers evaluate it through McpFunction.
struct Mcp {
  using Callback = std::function<void(const Vector& z, Vector& f)>;
  using JacobianCallback = std::function<void(const Vector& z, double* values)>;

  std::shared_ptr<const ExpressionGraph>
      graph;          ///< n outputs of n variables; null if a callback is given
  Vector parameters;  ///< values of the graph's parameters
  /// The compiled graph, or null if nobody has compiled it. With it, the problems of a sequence of
  /// time steps differ in their parameters only. Never stored in files.
  std::shared_ptr<const CompiledFunction> compiled;

  Callback callback;  ///< f has size n on entry; used if graph is null
  /// dF/dz of the callback: writes the values of the stored entries of `pattern`, in its order.
  /// Optional; without it McpFunction takes differences.
  JacobianCallback jacobian;
  /// The entries of dF/dz that may be nonzero, n x n, as stored entries in compressed columns;
  /// their values have no meaning. 0 x 0: all entries.
  SparseMatrix pattern;

  Vector lower;  ///< n, -inf allowed
  Vector upper;  ///< n, +inf allowed
  int size() const { return static_cast<int>(lower.size()); }

  /// F(z), n values. Allocates; a graph is evaluated node by node, independently of McpFunction.
  Vector evaluate(const Vector& z) const;
  /// Work space of evaluate_extended().
  struct ExtendedWorkspace {
    ExpressionGraph::ExtendedWorkspace graph;
    Vector f;
  };
  /// F(z): a graph in extended precision, a callback in double. Memory is allocated only if sizes
  /// change.
  void evaluate_extended(const Vector& z, ExtendedWorkspace& work, ExtendedVector& f) const;
};

/// Fills `compiled`; does nothing if there is no graph.
/// @throws std::invalid_argument if the graph is not well formed
/// @throws DeadlinePassed
void compile(Mcp& problem, const Deadline& deadline = Deadline());

/// @throws std::invalid_argument naming the field.
void validate(const Mcp& problem);

}  // namespace perp
