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
      graph;          ///< n outputs of n variables; null where a callback is given
  Vector parameters;  ///< values of the graph's parameters
  /// The graph compiled, where someone has done so: a problem of every time step then costs new
  /// parameters only. Never stored in files.
  std::shared_ptr<const CompiledFunction> compiled;

  Callback callback;  ///< f has size n on entry; used where graph is null
  /// dF/dz of the callback: values of the stored entries of `pattern`, in its order. Optional;
  /// without it McpFunction takes differences.
  JacobianCallback jacobian;
  /// Stored entries (their values mean nothing) in compressed columns, n x n: the entries of dF/dz
  /// that may not be zero. 0 x 0: all.
  SparseMatrix pattern;

  Vector lower;  ///< n, -inf allowed
  Vector upper;  ///< n, +inf allowed
  int size() const { return static_cast<int>(lower.size()); }

  /// F(z), n values. Allocates; a graph is evaluated node by node, independently of McpFunction.
  Vector evaluate(const Vector& z) const;
  /// The graph in extended precision; a callback in double. Only other sizes allocate.
  struct ExtendedWorkspace {
    ExpressionGraph::ExtendedWorkspace graph;
    Vector f;
  };
  void evaluate_extended(const Vector& z, ExtendedWorkspace& work, ExtendedVector& f) const;
};

/// Fills `compiled`. Does nothing where there is no graph. @throws std::invalid_argument where
/// the graph is not well formed; DeadlinePassed.
void compile(Mcp& problem, const Deadline& deadline = Deadline());

/// @throws std::invalid_argument naming the field.
void validate(const Mcp& problem);

}  // namespace perp
