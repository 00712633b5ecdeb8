#include <perp/problems/families/mcp_classics/classic.hpp>

#include <fmt/format.h>
#include <Eigen/SparseLU>
#include <cmath>
#include <limits>
#include <perp/problems/expression/differentiation.hpp>
#include <perp/problems/standard/mcp_function.hpp>
#include <perp/problems/standard/residuals.hpp>

namespace perp::classics {

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// The Newton system: rows of F where F is the middle one, z_i = bound elsewhere.
bool newton_step(const Mcp& problem, const SparseMatrix& jacobian, const Vector& f, Vector& z) {
  const int n = problem.size();
  Vector right(n);
  std::vector<char> at_bound(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    const double below = z[i] - problem.lower[i], above = z[i] - problem.upper[i];
    const double middle = mid(below, above, f[i]);
    at_bound[i] = middle != f[i];
    right[i] = -middle;
  }
  std::vector<Triplet> entries;
  for (int j = 0; j < n; ++j) {
    for (SparseMatrix::InnerIterator it(jacobian, j); it; ++it) {
      const int i = static_cast<int>(it.row());
      if (!at_bound[i] && it.value() != 0.0) entries.emplace_back(i, j, it.value());
    }
    if (at_bound[j]) entries.emplace_back(j, j, 1.0);
  }
  SparseMatrix system(n, n);
  system.setFromTriplets(entries.begin(), entries.end());
  Eigen::SparseLU<SparseMatrix> lu(system);
  if (lu.info() != Eigen::Success) return false;
  const Vector step = lu.solve(right);
  z += step;
  for (int i = 0; i < n; ++i) {
    if (at_bound[i] && right[i] + step[i] != 0.0) {  // exactly at the bound
      const double below = std::abs(z[i] - problem.lower[i]);
      const double above = std::abs(z[i] - problem.upper[i]);
      z[i] = below < above ? problem.lower[i] : problem.upper[i];
    }
  }
  return z.allFinite();
}

}  // namespace

Start uniform(std::string name, double value) {
  return {std::move(name),
          [value](const Mcp& mcp) -> Vector { return Vector::Constant(mcp.size(), value); }};
}

Start listed(std::string name, const std::vector<double>& values) {
  return {std::move(name), [values](const Mcp&) { return vector_of(values); }};
}

Mcp box_problem(Vector lower, Vector upper, const Map& f) {
  Mcp mcp;
  mcp.lower = std::move(lower);
  mcp.upper = std::move(upper);
  Recorder recorder;
  mcp.graph =
      std::make_shared<const ExpressionGraph>(recorder.graph(f(recorder.variables(mcp.size()))));
  return mcp;
}

Mcp ncp(int n, const Map& f) { return box_problem(Vector::Zero(n), Vector::Constant(n, kInf), f); }

Mcp optimality_conditions(const Program& program) {
  const int n = static_cast<int>(program.lower.size());
  int equations = 0, multipliers = 0;
  ExpressionGraph lagrangian;
  {
    Recorder recorder;
    const ExprVector x = recorder.variables(n);
    std::vector<Expr> g;
    if (program.equations) g = program.equations(x);
    equations = static_cast<int>(g.size());
    if (program.inequalities) {
      for (const Expr& row : program.inequalities(x)) g.push_back(row);
    }
    multipliers = static_cast<int>(g.size());
    Expr sum = program.objective(x);
    for (int i = 0; i < multipliers; ++i) sum -= recorder.variable(n + i) * g[i];
    lagrangian = recorder.graph({sum});
  }
  const int size = n + multipliers;
  GraphBuilder builder;
  std::vector<int> variables;
  for (int i = 0; i < size; ++i) variables.push_back(builder.variable(i));
  const std::vector<int> outputs = builder.call(lagrangian, variables, {});
  std::vector<int> rows(static_cast<std::size_t>(size), builder.constant(0.0));
  for (const JacobianEntry& entry : differentiate(builder, outputs)) {
    const bool multiplier = entry.column >= n;
    rows[entry.column] = multiplier ? builder.apply(Operation::kNegate, entry.node) : entry.node;
  }
  Mcp mcp;
  mcp.graph = std::make_shared<const ExpressionGraph>(builder.extract(rows));
  mcp.lower = Vector::Zero(size);
  mcp.upper = Vector::Constant(size, kInf);
  mcp.lower.head(n) = program.lower;
  mcp.upper.head(n) = program.upper;
  mcp.lower.segment(n, equations).setConstant(-kInf);
  return mcp;
}

Vector vector_of(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

void name_variables(std::vector<std::string>& names, const std::string& base, int count) {
  for (int i = 1; i <= count; ++i) names.push_back(fmt::format("{}[{}]", base, i));
}

std::optional<Vector> reference_solution(const Mcp& problem, Vector guess) {
  constexpr int kSteps = 200, kPatience = 5;
  McpFunction function(problem);
  SparseMatrix jacobian = function.pattern();
  Vector z = std::move(guess), best, f;
  double least = kInf;
  int idle = 0;
  for (int step = 0; step < kSteps && (idle < kPatience || least > 1e-10); ++step) {
    function.evaluate(z, f, jacobian.valuePtr());
    if (!f.allFinite()) break;
    const double residual = evaluate_residuals(problem, z).natural;
    idle = residual < least ? 0 : idle + 1;
    if (residual < least) {
      least = residual;
      best = z;
    }
    if (!newton_step(problem, jacobian, f, z)) break;
  }
  if (least > 1e-10) return {};
  return best;
}

}  // namespace perp::classics
