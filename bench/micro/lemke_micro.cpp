// Times of kernels of Lemke's method and of whole solves. Every answer is verified before the
// timing.
#include <benchmark/benchmark.h>

#include <perp/problems/families/family.hpp>
#include <perp/problems/standard/random.hpp>
#include <perp/problems/standard/verifier.hpp>
#include <perp/solvers/linear_algebra/dense_lu.hpp>
#include <perp/solvers/pivoting/lemke.hpp>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>

namespace {

perp::DenseMatrix gaussian(int n) {
  perp::Random random(1);
  perp::DenseMatrix a(n, n);
  for (double& x : a.reshaped()) x = random.normal();
  return a;
}

void solve_family(benchmark::State& state, const char* family) {
  const perp::Problem problem =
      perp::generate(perp::find_family(family), static_cast<int>(state.range(0)), 1);
  perp::Lemke lemke;
  lemke.limits.tolerance = 1e-10;
  lemke.prepare(problem);
  if (!perp::verify(problem, {lemke.solve().z, {}}, 1e-10).solved) {
    state.SkipWithError("not solved");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(lemke.solve().z.data());
}
BENCHMARK_CAPTURE(solve_family, stack, "contact-stack")
    ->Arg(10)
    ->Arg(20)
    ->Arg(50)
    ->Arg(100)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(solve_family, pile, "contact-pile")
    ->Arg(10)
    ->Arg(20)
    ->Arg(50)
    ->Arg(100)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(solve_family, psd, "psd")->Arg(100)->Arg(300)->Unit(benchmark::kMillisecond);

void dense_lu(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  const perp::DenseMatrix a = gaussian(n);
  perp::DenseLu lu;
  std::copy(a.data(), a.data() + a.size(), lu.matrix(n));
  perp::Vector x = perp::Vector::Ones(n);
  if (!lu.factor()) state.SkipWithError("singular");
  lu.solve(x.data());
  if ((a * x - perp::Vector::Ones(n)).cwiseAbs().maxCoeff() > 1e-8) {
    state.SkipWithError("wrong");
    return;
  }
  for (auto _ : state) {
    std::copy(a.data(), a.data() + a.size(), lu.matrix(n));
    benchmark::DoNotOptimize(lu.factor());
  }
}
BENCHMARK(dense_lu)->Arg(20)->Arg(100)->Arg(300)->Unit(benchmark::kMicrosecond);

// Yardsticks with the same sizes.
void eigen_lu_factor(benchmark::State& state) {
  const perp::DenseMatrix a = gaussian(static_cast<int>(state.range(0)));
  for (auto _ : state)
    benchmark::DoNotOptimize(Eigen::PartialPivLU<perp::DenseMatrix>(a).matrixLU().data());
}
BENCHMARK(eigen_lu_factor)->Arg(20)->Arg(100)->Arg(300)->Unit(benchmark::kMicrosecond);

void eigen_llt(benchmark::State& state) {
  const perp::DenseMatrix a = gaussian(static_cast<int>(state.range(0)));
  const perp::DenseMatrix spd = a * a.transpose();
  for (auto _ : state)
    benchmark::DoNotOptimize(Eigen::LLT<perp::DenseMatrix>(spd).matrixLLT().data());
}
BENCHMARK(eigen_llt)->Arg(20)->Arg(100)->Arg(300)->Unit(benchmark::kMicrosecond);

}  // namespace
