// Times of projected sweeps, active sets and multigrid. Every answer is verified before the timing.
#include <benchmark/benchmark.h>

#include <perp/problems/families/family.hpp>
#include <perp/problems/standard/verifier.hpp>
#include <perp/solvers/active_set/newton_min.hpp>
#include <perp/solvers/multigrid/multigrid.hpp>
#include <perp/solvers/projection/pgs.hpp>

#include <Eigen/Cholesky>

namespace {

perp::Problem member(const char* family, const benchmark::State& state) {
  return perp::generate(perp::find_family(family), static_cast<int>(state.range(0)), 1);
}

// One sweep over all rows. It counts the bytes of the matrix, q, z, the step and both bounds.
void pgs_sweep(benchmark::State& state, const char* family) {
  const perp::Problem problem = member(family, state);
  const perp::Lcp& lcp = std::get<perp::Lcp>(problem.data);
  perp::ProjectedGaussSeidel pgs;
  pgs.limits.tolerance = 1e-3;
  pgs.prepare(problem);
  if (!perp::verify(problem, {pgs.solve().z, {}}, 1e-3).solved) {
    state.SkipWithError("not solved");
    return;
  }
  perp::RowProblem rows;
  rows.build(problem);
  const perp::Vector step = rows.diagonal.cwiseInverse();
  perp::Vector z = perp::Vector::Zero(rows.size());
  for (auto _ : state) {
    benchmark::DoNotOptimize(perp::projected_sweep(rows, step, nullptr, false, z));
  }
  const long entry = lcp.M.is_sparse() ? 12 : 8;
  state.SetBytesProcessed(state.iterations() * (entry * lcp.M.stored() + 44L * rows.size()));
}
BENCHMARK_CAPTURE(pgs_sweep, dense, "psd")->Arg(100)->Arg(600)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(pgs_sweep, sparse, "obstacle")
    ->Arg(30)
    ->Arg(100)
    ->Arg(300)
    ->Unit(benchmark::kMicrosecond);

// A product that reads as many bytes as a dense sweep.
void matrix_vector(benchmark::State& state) {
  const perp::Problem problem = member("psd", state);
  const perp::DenseMatrix& m = std::get<perp::Lcp>(problem.data).M.dense();
  const perp::Vector x = perp::Vector::Ones(m.cols());
  perp::Vector y(m.rows());
  for (auto _ : state) {
    y.noalias() = m * x;
    benchmark::DoNotOptimize(y.data());
  }
  state.SetBytesProcessed(state.iterations() * 8L * m.size());
}
BENCHMARK(matrix_vector)->Arg(100)->Arg(600)->Unit(benchmark::kMicrosecond);

template <class Solver>
void solve_family(benchmark::State& state, const char* family, double tolerance) {
  const perp::Problem problem = member(family, state);
  Solver solver;
  solver.limits.tolerance = tolerance;
  solver.prepare(problem);
  if (!perp::verify(problem, {solver.solve().z, {}}, tolerance).solved) {
    state.SkipWithError("not solved");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(solver.solve().z.data());
}

void newton_min(benchmark::State& state, const char* family) {
  solve_family<perp::NewtonMin>(state, family, 1e-10);
}
BENCHMARK_CAPTURE(newton_min, psd, "psd")
    ->Arg(300)
    ->Arg(600)
    ->Arg(1200)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(newton_min, psd_deficient, "psd-deficient")
    ->Arg(300)
    ->Arg(600)
    ->Arg(1200)
    ->Unit(benchmark::kMillisecond);

void multigrid(benchmark::State& state) { solve_family<perp::Multigrid>(state, "obstacle", 1e-8); }
BENCHMARK(multigrid)->Arg(50)->Arg(200)->Unit(benchmark::kMillisecond);

// The yardstick: one factorisation and one solve with the whole matrix.
void eigen_llt_solve(benchmark::State& state) {
  const perp::Problem problem = member("psd", state);
  const perp::Lcp& lcp = std::get<perp::Lcp>(problem.data);
  for (auto _ : state) {
    const perp::Vector x = Eigen::LLT<perp::DenseMatrix>(lcp.M.dense()).solve(lcp.q);
    benchmark::DoNotOptimize(x.data());
  }
}
BENCHMARK(eigen_llt_solve)->Arg(300)->Arg(600)->Arg(1200)->Unit(benchmark::kMillisecond);

}  // namespace
