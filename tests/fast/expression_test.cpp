// Recording, sharing and folding; exact Jacobians against differences; McpFunction.
#include "random_graph.hpp"
#include "support.hpp"

#include <perp/problems/expression/compiled_function.hpp>
#include <perp/problems/expression/expr.hpp>
#include <perp/problems/standard/mcp_function.hpp>

#include <Eigen/Geometry>
#include <functional>

namespace perp::test {
namespace {

using Function = std::function<ExprVector(const ExprVector& z, const ExprVector& p)>;

ExpressionGraph record(int variables, int parameters, const Function& function) {
  Recorder recorder;
  return recorder.graph(function(recorder.variables(variables), recorder.parameters(parameters)));
}

int count(const ExpressionGraph& graph, Operation operation) {
  return static_cast<int>(
      std::ranges::count(graph.nodes, operation, &ExpressionGraph::Node::operation));
}

// The Jacobian of the tape against central differences of the graph's own, slow evaluation.
void check_derivatives(const ExpressionGraph& graph, const Vector& z, const Vector& p,
                       double tolerance, const std::string& what) {
  const int n = static_cast<int>(z.size()), m = static_cast<int>(graph.outputs.size());
  const CompiledFunction compiled(graph, n, static_cast<int>(p.size()));
  CompiledFunction::Workspace workspace = compiled.workspace();
  compiled.set_parameters(p, workspace);
  Vector f(m);
  compiled.evaluate(z, f.data(), workspace);
  const Vector expected = graph.evaluate(z, p);
  SparseMatrix jacobian = compiled.pattern();
  compiled.evaluate_jacobian(z, jacobian.valuePtr(), workspace);
  for (int i = 0; i < m; ++i) {
    EXPECT_NEAR(f[i], expected[i], 1e-13 * (1 + std::abs(expected[i]))) << what << " row " << i;
  }
  for (int j = 0; j < n; ++j) {
    const double h = 1e-5 * std::max(1.0, std::abs(z[j]));
    Vector above = z, below = z;
    above[j] += h;
    below[j] -= h;
    const Vector difference =
        (graph.evaluate(above, p) - graph.evaluate(below, p)) / (above[j] - below[j]);
    for (int i = 0; i < m; ++i) {
      EXPECT_NEAR(jacobian.coeff(i, j), difference[i], tolerance * (1 + std::abs(difference[i])))
          << what << " entry " << i << ", " << j;
    }
  }
}

struct Case {
  const char* name;
  Function function;
  double first, second;
};

TEST(Expression, DerivativeOfEveryOperationAgreesWithDifferences) {
  const auto one = [](Expr (*f)(Expr)) {
    return [f](const ExprVector& z, const ExprVector&) {
      return ExprVector{{f(z[0]), f(z[0] * z[1] + 0.1)}};
    };
  };
  const auto two = [](Expr (*f)(Expr, Expr)) {
    return [f](const ExprVector& z, const ExprVector& p) {
      return ExprVector{
          {f(z[0], z[1]), f(z[1], z[0]), f(z[0], p[0]), f(p[0], z[0]), f(z[0], z[0])}};
    };
  };
  const std::vector<Case> cases = {
      {"sqrt", one(sqrt), 0.7, 1.3},
      {"exp", one(exp), 0.7, -1.3},
      {"log", one(log), 0.7, 1.3},
      {"sin", one(sin), 0.7, -1.3},
      {"cos", one(cos), 0.7, -1.3},
      {"tan", one(tan), 0.7, 1.3},
      {"atan", one(atan), 0.7, -1.3},
      {"tanh", one(tanh), 0.7, -1.3},
      {"abs", one(abs), 0.7, -1.3},
      {"negate", one([](Expr a) { return -a; }), 0.7, -1.3},
      {"add", two([](Expr a, Expr b) { return a + b; }), 0.7, -1.3},
      {"subtract", two([](Expr a, Expr b) { return a - b; }), 0.7, -1.3},
      {"multiply", two([](Expr a, Expr b) { return a * b; }), 0.7, -1.3},
      {"divide", two([](Expr a, Expr b) { return a / b; }), 0.7, -1.3},
      {"pow", two([](Expr a, Expr b) { return pow(a, b); }), 0.7, 1.3},
      {"min", two([](Expr a, Expr b) { return min(a, b); }), 0.7, -1.3},
      {"max", two([](Expr a, Expr b) { return max(a, b); }), 0.7, -1.3},
      {"norm",
       [](const ExprVector& z, const ExprVector& p) {
         const Expr v[4] = {z[0], z[1], p[0] * z[0], 2.0};
         return ExprVector{{norm(std::span<const Expr>(v, 2)), norm(v)}};
       },
       0.7, -1.3},
  };
  for (const Case& c : cases) {
    check_derivatives(record(2, 1, c.function), vector({c.first, c.second}), vector({0.9}), 1e-8,
                      c.name);
  }
}

TEST(Expression, PowersWithConstantExponentAreExactForNegativeBases) {
  for (const double exponent : {-9.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 5.0, 8.0, 9.0, 12.0}) {
    const ExpressionGraph graph = record(1, 1, [&](const ExprVector& z, const ExprVector& p) {
      return ExprVector{{pow(z[0], exponent), pow(z[0], p[0])}};
    });
    const CompiledFunction compiled(graph, 1, 1);
    CompiledFunction::Workspace workspace = compiled.workspace();
    compiled.set_parameters(vector({exponent}), workspace);
    for (const double z : {-1.7, -0.3, 0.4, 2.5}) {
      double f[2];
      SparseMatrix jacobian = compiled.pattern();
      compiled.evaluate(vector({z}), f, workspace);
      compiled.evaluate_jacobian(vector({z}), jacobian.valuePtr(), workspace);
      const double value = std::pow(z, exponent), slope = exponent * std::pow(z, exponent - 1);
      for (int i = 0; i < 2; ++i) {
        EXPECT_NEAR(f[i], value, 1e-14 * std::abs(value)) << z << "^" << exponent;
        EXPECT_NEAR(jacobian.coeff(i, 0), slope, 1e-14 * std::abs(slope)) << z << "^" << exponent;
      }
    }
  }
}

// The element of the generalised Jacobian that the documentation promises.
TEST(Expression, NonsmoothPointsHaveThePromisedDerivative) {
  const ExpressionGraph graph = record(2, 0, [](const ExprVector& z, const ExprVector&) {
    const Expr v[2] = {z[0], z[1]};
    return ExprVector{
        {abs(z[0]), max(z[0], z[1]), min(z[0], z[1]), norm(v), pow(z[0], z[1] + 1.0)}};
  });
  const CompiledFunction compiled(graph, 2, 0);
  CompiledFunction::Workspace workspace = compiled.workspace();
  SparseMatrix jacobian = compiled.pattern();
  compiled.evaluate_jacobian(Vector::Zero(2), jacobian.valuePtr(), workspace);
  const DenseMatrix expected = matrix(5, 2, {0, 0, 1, 0, 0, 1, 0, 0, 1, 0});
  EXPECT_EQ(DenseMatrix(jacobian), expected);
}

TEST(Expression, NanIsNotHiddenByMinAndMax) {
  const ExpressionGraph graph = record(2, 0, [](const ExprVector& z, const ExprVector&) {
    return ExprVector{{max(z[0], log(z[1])), min(log(z[1]), z[0]), max(log(z[1]), z[0])}};
  });
  const Vector z = vector({1, -1});
  const CompiledFunction compiled(graph, 2, 0);
  CompiledFunction::Workspace workspace = compiled.workspace();
  Vector f(3);
  compiled.evaluate(z, f.data(), workspace);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(std::isnan(f[i])) << i;
    EXPECT_TRUE(std::isnan(graph.evaluate(z, Vector())[i])) << i;
  }
}

TEST(Expression, NormNeitherOverflowsNorUnderflows) {
  const ExpressionGraph graph = record(2, 0, [](const ExprVector& z, const ExprVector&) {
    const Expr v[2] = {z[0], z[1]};
    return ExprVector{{norm(v)}};
  });
  const CompiledFunction compiled(graph, 2, 0);
  CompiledFunction::Workspace workspace = compiled.workspace();
  for (const double scale : {1e-300, 1e-160, 1.0, 1e160, 1e300}) {
    double f = 0.0, d[2];
    compiled.evaluate(vector({3 * scale, 4 * scale}), &f, workspace);
    compiled.evaluate_jacobian(vector({3 * scale, 4 * scale}), d, workspace);
    EXPECT_NEAR(f / scale, 5.0, 1e-14);
    EXPECT_NEAR(d[0], 0.6, 1e-14);
    EXPECT_NEAR(d[1], 0.8, 1e-14);
  }
}

TEST(Expression, JacobiansOfRandomGraphsAgreeWithDifferences) {
  Random random(1);
  for (int trial = 0; trial < 60; ++trial) {
    const int operations = 5 + random.index(120);
    const ExpressionGraph graph = record(4, 2, [&](const ExprVector& z, const ExprVector& p) {
      return random_functions(random, z, p, operations, 5);
    });
    check_derivatives(graph, gaussian(random, 4, 1), gaussian(random, 2, 1), 1e-6,
                      "trial " + std::to_string(trial));
  }
}

TEST(Expression, SharesFoldsAndSimplifies) {
  const ExpressionGraph graph = record(2, 0, [](const ExprVector& z, const ExprVector&) {
    const Expr x = z[0], y = z[1];
    return ExprVector{{x * y + y * x, (x + 0.0) * 1.0 - x * 0.0, x - x, sin(x + y) - sin(y + x),
                       Expr(2.0) * 3.0 + x, (-x) * y, x / 1.0, pow(x, 1.0), pow(x, 0.0), -(-y)}};
  });
  EXPECT_EQ(count(graph, Operation::kMultiply), 1);
  EXPECT_EQ(count(graph, Operation::kSin), 0);
  EXPECT_EQ(count(graph, Operation::kPow), 0);
  EXPECT_EQ(count(graph, Operation::kDivide), 0);
  EXPECT_EQ(count(graph, Operation::kNegate), 1);
  EXPECT_EQ(count(graph, Operation::kAdd), 2);  // xy + xy and 6 + x
  EXPECT_EQ(graph.outputs[1], graph.outputs[6]);
  EXPECT_EQ(graph.outputs[2], graph.outputs[3]);
  EXPECT_EQ(graph.nodes.size(),
            2u + 3u + 4u);  // leaves; 0, 1, 6; the operations
  EXPECT_EQ(graph.evaluate(vector({3, 5}), Vector()), vector({30, 3, 0, 0, 9, -15, 3, 3, 1, 5}));
}

// F as it is compiled is undefined where F as posed is: what is simplified must not be defined more
// often. Derivatives drop 0 log(x).
TEST(Expression, CompilingKeepsTheDomain) {
  const ExpressionGraph graph = record(1, 0, [](const ExprVector& z, const ExprVector&) {
    const Expr x = z[0];
    return ExprVector{{x}};
  });
  ExpressionGraph posed = graph;  // 0 log(x) + x, log(x) - log(x), 0 / x, log(x)^0, 0 x, x - x
  posed.outputs.clear();
  const int zero = posed.add_constant(0.0), log = posed.add(Operation::kLog, {0});
  const int none = posed.add(Operation::kMultiply, {zero, log});
  posed.outputs = {
      posed.add(Operation::kAdd, {none, 0}),      posed.add(Operation::kSubtract, {log, log}),
      posed.add(Operation::kDivide, {zero, 0}),   posed.add(Operation::kPow, {log, zero}),
      posed.add(Operation::kMultiply, {zero, 0}), posed.add(Operation::kSubtract, {0, 0})};
  const CompiledFunction compiled(posed, 1, 0);
  for (const double x : {-2.0, 0.0, 3.0}) {
    const Vector direct = posed.evaluate(vector({x}), Vector());
    Vector f(posed.outputs.size());
    CompiledFunction::Workspace workspace = compiled.workspace();
    compiled.evaluate(vector({x}), f.data(), workspace);
    for (Eigen::Index i = 0; i < f.size(); ++i)
      EXPECT_EQ(std::isfinite(direct[i]), std::isfinite(f[i])) << x << " " << i;
  }
}

// 1 / 0 is no constant: it stays an operation, so that its row, and no other, is not finite.
TEST(Expression, ConstantsThatAreNotFiniteAreNotFolded) {
  ExpressionGraph graph;
  const int one = graph.add_constant(1.0), zero = graph.add_constant(0.0);
  graph.outputs = {graph.add(Operation::kDivide, {one, zero}),
                   graph.add(Operation::kAdd, {one, one})};
  const CompiledFunction compiled(graph, 0, 0);
  CompiledFunction::Workspace workspace = compiled.workspace();
  double f[2];
  compiled.evaluate(Vector(), f, workspace);
  EXPECT_EQ(f[0], kInf);
  EXPECT_EQ(f[1], 2.0);
}

TEST(Expression, RecorderRefusesForeignOperandsAndNonFiniteConstants) {
  EXPECT_THROW(Recorder::current(), std::logic_error);
  Recorder outer;
  const Expr x = outer.variable(0);
  {
    Recorder inner;
    const Expr y = inner.variable(0);
    EXPECT_THROW(x + y, std::logic_error);
    EXPECT_EQ(&Recorder::current(), &inner);
  }
  EXPECT_EQ(&Recorder::current(), &outer);
  EXPECT_THROW(x + kInf, std::invalid_argument);
  EXPECT_NO_THROW(Expr(1.0) / Expr(0.0));  // a number still
}

TEST(Expression, ScalarIsTriviallyCopyableAndCannotBeBranchedOn) {
  static_assert(std::is_trivially_copyable_v<Expr>);
  static_assert(!std::is_constructible_v<bool, Expr>);
  static_assert(!std::equality_comparable<Expr>);
  static_assert(!std::totally_ordered<Expr>);
}

TEST(Expression, VectorAlgebraAgreesWithEigen) {
  Random random(2);
  const Eigen::Vector3d a = gaussian(random, 3, 1), b = gaussian(random, 3, 1);
  const Eigen::Vector4d q = gaussian(random, 4, 1);
  const Eigen::Quaterniond turn(q[0] / q.norm(), q[1] / q.norm(), q[2] / q.norm(), q[3] / q.norm());
  const Eigen::Matrix3d m = gaussian(random, 3, 3);
  const ExpressionGraph graph = record(10, 0, [&](const ExprVector& z, const ExprVector&) {
    const ExprVector3 u = z.head(3), v = z.segment(3, 3);
    const ExprQuaternion r = z.tail(4);
    const Expr length = norm(std::span<const Expr>(r.data(), 4));
    const ExprQuaternion r1 = r / length;
    ExprVector out(24);
    out << dot(u, v), norm(u), cross(u, v), unit(u), rotate(r1, u), rotate_homogeneous(r, u),
        rotate(conjugate(r1), u), m * u, u.dot(v), u.cross(v);
    return out;
  });
  Vector z(10);
  z << a, b, q;
  Vector expected(24);
  expected << a.dot(b), a.norm(), a.cross(b), a.normalized(), turn * a,
      q.squaredNorm() * (turn * a), turn.conjugate() * a, m * a, a.dot(b), a.cross(b);
  EXPECT_LT((graph.evaluate(z, Vector()) - expected).cwiseAbs().maxCoeff(), 1e-13);
  check_derivatives(graph, z, Vector(), 1e-7, "vector algebra");
}

TEST(Expression, CallsOfAFunctionShareWhatTheirArgumentsShare) {
  const ExpressionGraph distance = record(4, 1, [](const ExprVector& z, const ExprVector& p) {
    const Expr d[2] = {z[0] - z[2], z[1] - z[3]};
    return ExprVector{{norm(d) - p[0], exp(z[0])}};
  });
  Recorder recorder;
  const ExprVector z = recorder.variables(6);
  const Expr radius = recorder.parameter(0);
  const auto call = [&](int i, int j) {
    const Expr arguments[4] = {z[2 * i], z[2 * i + 1], z[2 * j], z[2 * j + 1]};
    return recorder.call(distance, arguments, std::span<const Expr>(&radius, 1));
  };
  const std::vector<Expr> first = call(0, 1), second = call(0, 2), again = call(0, 1);
  const ExpressionGraph graph =
      recorder.graph({first[0], second[0], again[0], first[1], second[1]});
  EXPECT_EQ(count(graph, Operation::kNorm), 2);
  EXPECT_EQ(count(graph, Operation::kExp), 1);
  EXPECT_EQ(graph.outputs[0], graph.outputs[2]);
  const Vector at = vector({0, 0, 3, 4, 6, 8});
  EXPECT_EQ(graph.evaluate(at, vector({1})), vector({4, 9, 4, 1, 1}));
  const Expr constants[4] = {3.0, 0.0, 0.0, 4.0};
  EXPECT_TRUE(recorder.call(distance, constants, std::vector<Expr>{1.0})[0].is_constant());
  EXPECT_THROW(recorder.call(distance, std::span<const Expr>(constants, 2)), std::invalid_argument);
}

TEST(Expression, DeepGraphsDoNotOverflowTheStack) {
  const int depth = 40'000;  // 120'000 operations within one another
  const ExpressionGraph graph = record(2, 1, [&](const ExprVector& z, const ExprVector& p) {
    Expr a = z[0];
    for (int k = 0; k < depth; ++k) a = sin(a + p[0]) * z[1];
    return ExprVector{{a}};
  });
  EXPECT_GE(static_cast<int>(graph.nodes.size()), 3 * depth);
  const CompiledFunction compiled(graph, 2, 1);
  CompiledFunction::Workspace workspace = compiled.workspace();
  compiled.set_parameters(vector({0.3}), workspace);
  const double z0 = 0.2, z1 = 0.9;
  double value = z0, by_z0 = 1.0, by_z1 = 0.0;
  for (int k = 0; k < depth; ++k) {
    const double s = std::sin(value + 0.3), c = std::cos(value + 0.3);
    by_z1 = s + z1 * c * by_z1;
    by_z0 = z1 * c * by_z0;
    value = s * z1;
  }
  double f = 0.0, jacobian[2];
  compiled.evaluate(vector({z0, z1}), &f, workspace);
  compiled.evaluate_jacobian(vector({z0, z1}), jacobian, workspace);
  EXPECT_NEAR(f, value, 1e-12);
  EXPECT_NEAR(jacobian[0], by_z0, 1e-12);
  EXPECT_NEAR(jacobian[1], by_z1, 1e-9);
}

TEST(Expression, WhatDependsOnParametersAloneRunsWhenTheyChange) {
  const ExpressionGraph graph = record(1, 1, [](const ExprVector& z, const ExprVector& p) {
    return ExprVector{{exp(sin(p[0])) * z[0] + tan(p[0])}};
  });
  const CompiledFunction compiled(graph, 1, 1);
  EXPECT_EQ(compiled.counts().parameters, 3);
  EXPECT_EQ(compiled.counts().function, 2);
  EXPECT_EQ(compiled.counts().jacobian, 0);
  CompiledFunction::Workspace workspace = compiled.workspace();
  for (const double p : {0.2, 0.9, 0.2}) {
    compiled.set_parameters(vector({p}), workspace);
    double f = 0.0, d = 0.0;
    compiled.evaluate(vector({2}), &f, workspace);
    compiled.evaluate_jacobian(vector({2}), &d, workspace);
    EXPECT_EQ(f, std::exp(std::sin(p)) * 2 + std::tan(p));
    EXPECT_EQ(d, std::exp(std::sin(p)));
  }
}

Mcp example(bool with_graph) {
  Mcp p;
  p.lower = vector({0, 0, -kInf});
  p.upper = vector({kInf, 1, kInf});
  if (with_graph) {
    p.graph = std::make_shared<
        ExpressionGraph>(record(3, 1, [](const ExprVector& z, const ExprVector& q) {
      return ExprVector{{z[0] * z[0] + q[0] * z[2], exp(z[1]) - 2.0, z[0] - z[2] * z[2] * z[2]}};
    }));
    p.parameters = vector({1.5});
  } else {
    p.callback = [](const Vector& z, Vector& f) {
      f << z[0] * z[0] + 1.5 * z[2], std::exp(z[1]) - 2.0, z[0] - z[2] * z[2] * z[2];
    };
  }
  return p;
}

TEST(McpFunction, GraphCallbackAndDifferencesAgree) {
  const Vector z = vector({0.4, 1.0, -0.6});
  const DenseMatrix expected = matrix(3, 3, {0.8, 0, 1.5, 0, std::exp(1.0), 0, 1, 0, -3 * 0.36});
  Mcp graph = example(true), callback = example(false), declared = example(false);
  callback.jacobian = [](const Vector& x, double* v) {
    std::copy_n(vector({2 * x[0], 0, 1, 0, std::exp(x[1]), 0, 1.5, 0, -3 * x[2] * x[2]}).data(), 9,
                v);
  };
  declared.pattern = McpFunction(graph).pattern();
  EXPECT_EQ(declared.pattern.nonZeros(), 5);
  for (const auto& [problem, tolerance] :
       {std::pair(graph, 1e-15), std::pair(callback, 1e-15), std::pair(example(false), 1e-6),
        std::pair(declared, 1e-6)}) {
    validate(problem);
    McpFunction function(problem);
    EXPECT_EQ(function.exact_jacobian(), tolerance < 1e-10);
    Vector f;
    SparseMatrix jacobian = function.pattern();
    function.evaluate(z, f, jacobian.valuePtr());
    EXPECT_LT((f - problem.evaluate(z)).cwiseAbs().maxCoeff(), 1e-14);
    EXPECT_LT((DenseMatrix(jacobian) - expected).cwiseAbs().maxCoeff(), tolerance);
  }
}

// z_1 stands on its upper bound, and F does not exist beyond it; columns 0 and 1 share no row.
TEST(McpFunction, DifferencesKeepBelowUpperBoundsAndShareEvaluations) {
  Mcp p;
  p.lower = vector({0, 0});
  p.upper = vector({kInf, 1});
  int calls = 0;
  p.callback = [&](const Vector& z, Vector& f) {
    ++calls;
    f << z[0] * z[0], std::sqrt(1.0 - z[1]) + z[1];
    if (z[1] > 1.0) f[1] = std::nan("");
  };
  p.pattern = DenseMatrix(DenseMatrix::Identity(2, 2)).sparseView();
  McpFunction function(p);
  SparseMatrix jacobian = function.pattern();
  function.evaluate_jacobian(vector({3, 1}), jacobian.valuePtr());
  EXPECT_EQ(calls, 2);
  EXPECT_NEAR(jacobian.coeff(0, 0), 6, 1e-6);
  EXPECT_TRUE(std::isfinite(jacobian.coeff(1, 1)));
}

TEST(McpFunction, ACompiledGraphIsKeptAcrossParameters) {
  Mcp p = example(true);
  compile(p);
  validate(p);
  McpFunction function(p);
  const SparseMatrix* pattern = &function.pattern();
  p.parameters = vector({-2});
  function.prepare(p);
  EXPECT_EQ(&function.pattern(), pattern);
  Vector f;
  function.evaluate(vector({1, 0, 1}), f);
  EXPECT_EQ(f, vector({-1, -1, 0}));
}

TEST(McpFunction, ValidationNamesTheField) {
  Mcp wrong_pattern = example(false), wrong_compiled = example(true);
  wrong_pattern.pattern = SparseMatrix(2, 3);
  wrong_compiled.compiled = std::make_shared<const CompiledFunction>(
      record(1, 0, [](const ExprVector& z, const ExprVector&) { return z; }), 1, 0);
  for (const auto& [problem, field] :
       {std::pair(wrong_pattern, "pattern:"), std::pair(wrong_compiled, "compiled:")}) {
    try {
      validate(problem);
      ADD_FAILURE() << field;
    } catch (const std::invalid_argument& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(field)) << error.what();
    }
  }
}

}  // namespace
}  // namespace perp::test
