// Times of factorisations of quasi-definite matrices by rows and by blocks, of the products inside
// the blocks for each instruction set, and of the roofline, the most that the vector unit can do.
// Every factorisation is checked before the timing.
#include <benchmark/benchmark.h>

#include <perp/problems/matrix/matrix.hpp>
#include <perp/problems/standard/random.hpp>
#include <perp/solvers/linear_algebra/dense_product.hpp>
#include <perp/solvers/linear_algebra/sparse_ldl.hpp>
#include <perp/solvers/linear_algebra/supernodal_ldl.hpp>

#include <vector>

namespace {

// A pile: bodies on a cubic grid, each with `unknowns` velocities and coupled with all of its 26
// neighbours. The matrix is diagonally dominant; its upper triangle is stored by columns.
struct Pile {
  Pile(int side, int unknowns) {
    const int bodies = side * side * side;
    perp::Random random(1);
    std::vector<int> near;
    for (int b = 0; b < bodies; ++b) {
      near.clear();
      for (int other = 0; other <= b; ++other) {
        const bool touches = std::abs(other % side - b % side) <= 1 &&
                             std::abs(other / side % side - b / side % side) <= 1 &&
                             std::abs(other / (side * side) - b / (side * side)) <= 1;
        if (touches) near.push_back(other);
      }
      for (int j = 0; j < unknowns; ++j) {
        for (const int other : near) {
          for (int i = 0; i < (other == b ? j + 1 : unknowns); ++i) {
            const int row = unknowns * other + i, column = unknowns * b + j;
            rows.push_back(row);
            values.push_back(row == column ? 27.0 * unknowns : random.uniform(-1, 1));
          }
        }
        starts.push_back(static_cast<int>(rows.size()));
        groups.push_back(b);
        signs.push_back(1);
      }
    }
  }
  int size() const { return static_cast<int>(groups.size()); }
  // Largest |K x - b|.
  double miss(const perp::Vector& x, const perp::Vector& b) const {
    perp::Vector r = -b;
    for (int j = 0; j < size(); ++j) {
      for (int k = starts[j]; k < starts[j + 1]; ++k) {
        r[rows[k]] += values[k] * x[j];
        if (rows[k] != j) r[j] += values[k] * x[rows[k]];
      }
    }
    return r.cwiseAbs().maxCoeff();
  }

  std::vector<int> starts{0}, rows, groups;
  std::vector<double> values;
  std::vector<signed char> signs;
};

template <class Ldl>
void factorise(benchmark::State& state, Ldl& ldl, const Pile& pile) {
  const perp::Vector b = perp::Vector::Ones(pile.size());
  perp::Vector x = b;
  if (ldl.factor(pile.values, 1e-25, 1e-12)) ldl.solve(x.data());
  if (!(pile.miss(x, b) < 1e-10)) return state.SkipWithError("wrong");
  for (auto _ : state) benchmark::DoNotOptimize(ldl.factor(pile.values, 1e-25, 1e-12));
  state.counters["Gflop/s"] =
      benchmark::Counter(2e-9 * ldl.operations(), benchmark::Counter::kIsIterationInvariantRate);
}

void ldl_by_rows(benchmark::State& state) {
  const Pile pile(static_cast<int>(state.range(0)), 3);
  perp::SparseLdl ldl;
  ldl.analyse(pile.size(), pile.starts, pile.rows, pile.signs);
  factorise(state, ldl, pile);
}
BENCHMARK(ldl_by_rows)->Arg(2)->Arg(3)->Arg(4)->Arg(6)->Arg(8)->Unit(benchmark::kMicrosecond);

void ldl_by_blocks(benchmark::State& state) {
  const Pile pile(static_cast<int>(state.range(0)), 3);
  perp::SupernodalLdl ldl;
  ldl.analyse(pile.size(), pile.starts, pile.rows, pile.signs, pile.groups);
  factorise(state, ldl, pile);
}
BENCHMARK(ldl_by_blocks)->Arg(2)->Arg(3)->Arg(4)->Arg(6)->Arg(8)->Unit(benchmark::kMicrosecond);

void product(benchmark::State& state, const char* name) {
  const perp::DenseKernels* kernels = perp::find_dense_kernels(name);
  if (!kernels) return state.SkipWithError("not on this machine");
  const int n = static_cast<int>(state.range(0)), inner = n / 2;
  perp::Random random(1);
  std::vector<double> a(static_cast<std::size_t>(n) * inner), c(static_cast<std::size_t>(n) * n);
  for (double& x : a) x = random.uniform(-1, 1);
  perp::DenseProduct p(*kernels);
  for (auto _ : state) {
    p.add(-1.0, {a.data(), n, n}, {a.data(), n, n}, inner, nullptr, c.data(), n, false);
    benchmark::ClobberMemory();
  }
  state.counters["Gflop/s"] =
      benchmark::Counter(2e-9 * n * n * inner, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK_CAPTURE(product, baseline, "baseline")->Arg(24)->Arg(100)->Arg(600);
BENCHMARK_CAPTURE(product, avx2, "avx2")->Arg(24)->Arg(100)->Arg(600);
BENCHMARK_CAPTURE(product, avx512, "avx512")->Arg(24)->Arg(100)->Arg(600);

// The roofline: one tile of each kernel, with factors that stay in the first-level cache.
void roof(benchmark::State& state, const char* name) {
  const perp::DenseKernels* kernels = perp::find_dense_kernels(name);
  if (!kernels) return state.SkipWithError("not on this machine");
  constexpr int kInner = 128;
  const int rows = kernels->row_tile, columns = kernels->column_tile;
  const std::vector<double> a(static_cast<std::size_t>(rows) * kInner, 1e-3),
      b(static_cast<std::size_t>(columns) * kInner, 1e-3);
  std::vector<double> c(static_cast<std::size_t>(rows) * columns);
  for (auto _ : state) {
    kernels->subtract_tile(kInner, a.data(), b.data(), c.data(), rows, rows, columns);
    benchmark::ClobberMemory();
  }
  state.counters["Gflop/s"] = benchmark::Counter(2e-9 * rows * columns * kInner,
                                                 benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK_CAPTURE(roof, baseline, "baseline");
BENCHMARK_CAPTURE(roof, avx2, "avx2");
BENCHMARK_CAPTURE(roof, avx512, "avx512");

}  // namespace
