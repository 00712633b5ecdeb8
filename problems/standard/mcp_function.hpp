// F and its Jacobian as solvers of nonlinear problems need them.
#pragma once

#include <memory>
#include <perp/problems/standard/mcp.hpp>
#include <vector>

namespace perp {

/// F(z) and the sparse Jacobian dF/dz of an Mcp that has a graph or a callback. After prepare(), no
/// call allocates memory (a callback may). Values that are not defined are NaN or infinite; nothing
/// is thrown.
///
///   McpFunction function(problem);
///   SparseMatrix jacobian = function.pattern();
///   function.evaluate(z, f, jacobian.valuePtr());
///
/// The Jacobian is exact for a graph and for a callback with a Jacobian callback. For a callback
/// without one it is computed by forward differences with steps sqrt(eps) max(1, |z_i|), or by
/// backward differences if the step would pass an upper bound. Columns of `pattern` without a
/// common row share an evaluation [CurtisPowellReid1974]. About half of the digits are lost then.
class McpFunction {
 public:
  McpFunction() = default;
  /// Prepared for a problem.
  explicit McpFunction(const Mcp& problem) { prepare(problem); }

  /// Keeps copies of what it needs; `problem` need not outlive the call. A graph is compiled here,
  /// unless `problem.compiled` is given or it is the graph that was prepared last.
  /// @throws std::invalid_argument if the graph is not well formed
  /// @throws DeadlinePassed
  void prepare(const Mcp& problem, const Deadline& deadline = Deadline());

  /// Number of unknowns.
  int size() const { return size_; }
  /// n x n in compressed columns, all values 0. Fixed until the next prepare().
  const SparseMatrix& pattern() const;
  /// Whether the Jacobian is computed without differences.
  bool exact_jacobian() const { return compiled_ != nullptr || jacobian_; }

  /// f: resized to n.
  void evaluate(const Vector& z, Vector& f);
  /// values: one for each stored entry of pattern(), in its order. For a graph it is cheap if F was
  /// evaluated last at the same z.
  void evaluate_jacobian(const Vector& z, double* values);
  /// F and its Jacobian.
  void evaluate(const Vector& z, Vector& f, double* values) {
    evaluate(z, f);
    evaluate_jacobian(z, values);
  }

 private:
  void prepare_callback(const Mcp& problem);
  void evaluate_differences(const Vector& z, double* values);

  int size_ = 0;
  std::shared_ptr<const ExpressionGraph> graph_;  // compiled_ was made from it; kept alive
  std::shared_ptr<const CompiledFunction> compiled_;
  CompiledFunction::Workspace workspace_;

  Mcp::Callback callback_;
  Mcp::JacobianCallback jacobian_;
  SparseMatrix pattern_;
  std::vector<std::vector<int>> column_groups_;  // columns that have no row in common
  Vector upper_, shifted_, steps_, f_, f_shifted_;
};

}  // namespace perp
