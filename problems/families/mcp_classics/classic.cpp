#include <perp/problems/families/mcp_classics/classic.hpp>

#include <fmt/format.h>
#include <Eigen/SparseLU>
#include <cmath>
#include <perp/problems/expression/differentiation.hpp>
#include <perp/problems/matrix/infinity.hpp>
#include <perp/problems/standard/mcp_function.hpp>
#include <perp/problems/standard/residuals.hpp>

namespace perp::classics {

namespace {

// mid(z - lower, z - upper, F), the map whose zeros are the solutions.
Vector natural_map(const Mcp& problem, const Vector& z, const Vector& f) {
  Vector values(z.size());
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    values[i] = mid(z[i] - problem.lower[i], z[i] - problem.upper[i], f[i]);
  }
  return values;
}

// Divides the rows by their largest derivatives, so that mid() compares changes of z. That changes
// no solution, and active sets are guessed better. @return the factors
Vector scale_rows(SparseMatrix& jacobian, Vector& f) {
  Vector largest = Vector::Zero(f.size());
  for (Eigen::Index j = 0; j < f.size(); ++j) {
    for (SparseMatrix::InnerIterator it(jacobian, j); it; ++it) {
      largest[it.row()] = std::max(largest[it.row()], std::abs(it.value()));
    }
  }
  const Vector factors = (largest.array() > 0).select(largest.cwiseInverse(), 1.0);
  jacobian = factors.asDiagonal() * jacobian;
  f = f.cwiseProduct(factors);
  return factors;
}

// The Newton step of natural_map: the row of F if F is the middle number, else a step to the bound.
// Nothing if the system is singular.
std::optional<Vector> newton_step(const SparseMatrix& jacobian, const Vector& f,
                                  const Vector& values) {
  const int n = static_cast<int>(f.size());
  std::vector<Triplet> entries;
  for (int j = 0; j < n; ++j) {
    for (SparseMatrix::InnerIterator it(jacobian, j); it; ++it) {
      const int i = static_cast<int>(it.row());
      if (values[i] == f[i]) entries.emplace_back(i, j, it.value());
    }
    if (values[j] != f[j]) entries.emplace_back(j, j, 1.0);
  }
  SparseMatrix system(n, n);
  system.setFromTriplets(entries.begin(), entries.end());
  Eigen::SparseLU<SparseMatrix> lu(system);
  if (lu.info() != Eigen::Success) return {};
  Vector step = lu.solve(-values);
  if (!step.allFinite()) return {};
  return step;
}

// z + the longest of step, step / 2, ... that lowers the scaled map; the full step if none does.
Vector search(const Mcp& problem, McpFunction& function, const Vector& z, const Vector& step,
              const Vector& factors, double norm) {
  constexpr int kHalvings = 8;
  Vector f;
  double length = 1.0;
  for (int halving = 0; halving < kHalvings; ++halving, length /= 2) {
    const Vector trial = z + length * step;
    function.evaluate(trial, f);
    const Vector scaled = f.cwiseProduct(factors);
    if (natural_map(problem, trial, scaled).norm() < (1 - 1e-4 * length) * norm) return trial;
  }
  return z + step;
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

Mcp ncp(int n, const Map& f) {
  return box_problem(Vector::Zero(n), Vector::Constant(n, kInfinity), f);
}

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
  mcp.upper = Vector::Constant(size, kInfinity);
  mcp.lower.head(n) = program.lower;
  mcp.upper.head(n) = program.upper;
  mcp.lower.segment(n, equations).setConstant(-kInfinity);
  return mcp;
}

Vector vector_of(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

void name_variables(std::vector<std::string>& names, const std::string& base, int count) {
  for (int i = 1; i <= count; ++i) names.push_back(fmt::format("{}[{}]", base, i));
}

std::optional<Vector> reference_solution(const Mcp& problem, Vector guess) {
  constexpr int kSteps = 100, kPatience = 5;
  McpFunction function(problem);
  Vector z = std::move(guess), best, f;
  double least = kInfinity;
  int idle = 0;
  for (int k = 0; k < kSteps && idle < kPatience; ++k) {
    SparseMatrix jacobian = function.pattern();
    function.evaluate(z, f, jacobian.valuePtr());
    const double residual = natural_map(problem, z, f).lpNorm<Eigen::Infinity>();
    if (!std::isfinite(residual)) break;
    if (residual < least) best = z;
    idle = residual < least || least > 1e-10 ? 0 : idle + 1;
    least = std::min(least, residual);
    const Vector factors = scale_rows(jacobian, f);
    const Vector values = natural_map(problem, z, f);
    const std::optional<Vector> step = newton_step(jacobian, f, values);
    if (!step) break;
    z = search(problem, function, z, *step, factors, values.norm());
    for (Eigen::Index i = 0; i < z.size(); ++i) {  // a variable next to its bound by rounding
      if (values[i] == f[i]) continue;
      const double bound = f[i] > values[i] ? problem.lower[i] : problem.upper[i];
      if (std::abs(z[i] - bound) <= 1e-14 * (1 + std::abs(bound))) z[i] = bound;
    }
  }
  if (!(least <= 1e-10)) return {};
  return best;
}

}  // namespace perp::classics
