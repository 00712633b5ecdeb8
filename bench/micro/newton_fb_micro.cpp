// Times of prepared solves of monotone nonlinear problems by newton-fb, and of LU factorisations of
// the same size by Eigen.
#include <benchmark/benchmark.h>

#include <perp/problems/expression/expr.hpp>
#include <perp/problems/standard/random.hpp>
#include <perp/problems/standard/verifier.hpp>
#include <perp/solvers/semismooth_newton/newton_fb.hpp>

#include <Eigen/LU>
#include <cmath>

namespace {

using perp::DenseMatrix;
using perp::Vector;

DenseMatrix monotone_matrix(perp::Random& random, int n) {
  DenseMatrix a(n, n);
  for (double& x : a.reshaped()) x = random.normal() / std::sqrt(n);
  return a.transpose() * a + 0.1 * DenseMatrix::Identity(n, n);
}

// z >= 0, F = M z + exp(z) / 5 - b with F = 0 in about half of the rows at the solution.
perp::Problem monotone_problem(int n) {
  perp::Random random(1);
  const DenseMatrix m = monotone_matrix(random, n);
  perp::Recorder recorder;
  const perp::ExprVector z = recorder.variables(n);
  perp::ExprVector f(n);
  for (int i = 0; i < n; ++i) {
    f[i] = 0.2 * exp(z[i]) - random.uniform(-1.0, 2.0);
    for (int j = 0; j < n; ++j) f[i] += m(i, j) * z[j];
  }
  perp::Mcp mcp;
  mcp.graph = std::make_shared<perp::ExpressionGraph>(recorder.graph(f));
  mcp.lower = Vector::Zero(n);
  mcp.upper = Vector::Constant(n, HUGE_VAL);
  perp::Problem problem;
  problem.data = mcp;
  return problem;
}

void newton_fb_monotone(benchmark::State& state) {
  const perp::Problem problem = monotone_problem(static_cast<int>(state.range(0)));
  perp::NewtonFb solver;
  solver.limits.tolerance = 1e-10;
  solver.prepare(problem);
  if (!perp::verify(problem, {solver.solve().z, {}}, 1e-10).solved) state.SkipWithError("wrong");
  for (auto _ : state) benchmark::DoNotOptimize(solver.solve().z.data());
  state.counters["steps"] = solver.solve().iterations;
}
BENCHMARK(newton_fb_monotone)->Arg(4)->Arg(10)->Arg(30)->Arg(100)->Arg(300);

void eigen_lu(benchmark::State& state) {
  perp::Random random(1);
  const int n = static_cast<int>(state.range(0));
  const DenseMatrix m = monotone_matrix(random, n);
  Eigen::PartialPivLU<DenseMatrix> lu(n);
  Vector x = Vector::Ones(n);
  for (auto _ : state) {
    lu.compute(m);
    x = lu.solve(Vector::Ones(n));
    benchmark::DoNotOptimize(x.data());
  }
}
BENCHMARK(eigen_lu)->Arg(4)->Arg(10)->Arg(28)->Arg(30)->Arg(100)->Arg(300);

}  // namespace
