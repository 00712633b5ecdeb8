// An expression graph made ready for fast evaluation, with its exact sparse Jacobian.
#pragma once

#include <perp/problems/expression/graph.hpp>
#include <perp/problems/limits/deadline.hpp>
#include <perp/problems/matrix/matrix.hpp>
#include <vector>

namespace perp {

/// F(z, p) and dF/dz as one flat tape. Made once (milliseconds for thousands of nodes), evaluated
/// often: nothing is allocated then, nothing is decided.
///
/// * The graph is rebuilt with shared subexpressions (GraphBuilder); powers with small integer
///   exponents become products. differentiate() adds the Jacobian to the same graph, so F and its
///   Jacobian share what they have in common.
/// * The tape has three parts: what depends on p alone, which runs only when p changes; what F
///   needs; what only the Jacobian needs. Evaluating the Jacobian where F was evaluated last runs
///   the third part alone.
/// * Within a part the operations are ordered such that equal ones follow each other as far as
///   their operands allow; such a run is one tight loop. Results lie one behind another, so an
///   instruction is no more than the positions of its operands.
///
/// The object itself is constant and may be shared; each user keeps a Workspace.
class CompiledFunction {
 public:
  /// @throws std::invalid_argument where the graph is not well formed (ExpressionGraph::check);
  /// DeadlinePassed.
  CompiledFunction(const ExpressionGraph& graph, int variables, int parameters,
                   const Deadline& deadline = Deadline());

  int variables() const { return variables_; }
  int parameters() const { return parameters_; }
  int outputs() const { return static_cast<int>(outputs_.size()); }
  /// outputs x variables in compressed columns; every entry that is not identically zero is
  /// stored, with value 0.
  const SparseMatrix& pattern() const { return pattern_; }

  struct Workspace {
    std::vector<double> values;
    bool evaluated = false;  ///< values holds F at the z that stands in it
  };
  Workspace workspace() const;

  /// To be called before the first evaluation where there are parameters. Size as declared.
  void set_parameters(const Vector& p, Workspace& workspace) const;
  /// f: outputs() values. Rows outside their domain are NaN or infinite.
  void evaluate(const Vector& z, double* f, Workspace& workspace) const;
  /// values: in the order of pattern().
  void evaluate_jacobian(const Vector& z, double* values, Workspace& workspace) const;

  /// Number of instructions: for parameters only, for F, for the Jacobian beside F.
  struct Counts {
    int parameters, function, jacobian;
  };
  Counts counts() const;

 private:
  struct Operands {
    int a, b;  // positions of the values; for norm: first in arguments_, and how many
  };
  struct Run {
    Operation operation;
    int count;
  };
  struct Part {
    std::vector<Run> runs;
    std::vector<Operands> instructions;
    int position = 0;  // of its first result
  };
  class Scheduler;

  void run(const Part& part, double* values) const;
  void run_function(const Vector& z, Workspace& workspace) const;

  int variables_, parameters_;
  std::vector<double> constants_;  // stand first in the workspace, then p, z and the results
  std::vector<int> arguments_;
  Part parameter_part_, function_part_, jacobian_part_;
  std::vector<int> outputs_, entries_;  // positions
  SparseMatrix pattern_;
  int size_ = 0;
};

}  // namespace perp
