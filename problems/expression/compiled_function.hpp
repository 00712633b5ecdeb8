// An expression graph made ready for fast evaluation, with its exact sparse Jacobian.
#pragma once

#include <perp/problems/expression/graph.hpp>
#include <perp/problems/limits/deadline.hpp>
#include <perp/problems/matrix/matrix.hpp>
#include <vector>

namespace perp {

/// F(z, p) and dF/dz as one flat tape (list of instructions). It is made once (milliseconds for
/// thousands of nodes) and evaluated often. Evaluation allocates nothing and takes no decisions.
///
/// * The graph is rebuilt with shared subexpressions (GraphBuilder); powers with small integer
///   exponents become products. differentiate() adds the Jacobian to the same graph, so F and its
///   Jacobian share what they have in common.
/// * The tape has three parts: what depends on p alone, which runs only when p changes; what F
///   needs; what only the Jacobian needs. If F was evaluated last at the same z, evaluating the
///   Jacobian runs the third part alone.
/// * Within a part, equal operations follow each other as far as their operands allow; such a run
///   is one tight loop. Results are stored one after another, so an instruction consists only of
///   the positions of its operands.
///
/// The object itself is constant and may be shared; each user keeps a Workspace.
class CompiledFunction {
 public:
  /// @throws std::invalid_argument if the graph is not well formed (ExpressionGraph::check)
  /// @throws DeadlinePassed
  CompiledFunction(const ExpressionGraph& graph, int variables, int parameters,
                   const Deadline& deadline = Deadline());

  /// Number of variables z.
  int variables() const { return variables_; }
  /// Number of parameters p.
  int parameters() const { return parameters_; }
  /// Number of rows of F.
  int outputs() const { return static_cast<int>(outputs_.size()); }
  /// The sparsity pattern of dF/dz, outputs() x variables(), in compressed columns. Every entry
  /// that is not identically zero is stored, with value 0.
  const SparseMatrix& pattern() const { return pattern_; }

  /// The values of one evaluation. Each thread needs one of its own.
  struct Workspace {
    std::vector<double> values;
    bool evaluated = false;  ///< `values` holds a z and F at this z
  };
  /// A new workspace for this function.
  Workspace workspace() const;

  /// Must be called before the first evaluation if there are parameters.
  /// @param p parameters() values
  void set_parameters(const Vector& p, Workspace& workspace) const;
  /// @param f receives outputs() values; a row that is not defined at z becomes NaN or infinite
  void evaluate(const Vector& z, double* f, Workspace& workspace) const;
  /// @param values receives the entries of dF/dz in the order of pattern()
  void evaluate_jacobian(const Vector& z, double* values, Workspace& workspace) const;

  /// Number of instructions in the three parts of the tape.
  struct Counts {
    int parameters, function, jacobian;
  };
  /// Lengths of the tape.
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
