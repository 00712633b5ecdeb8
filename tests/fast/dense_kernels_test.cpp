// Products and eliminations of dense blocks by every instruction set that this machine has, against
// Eigen; factorisations of one matrix by rows and by blocks.
#include "support.hpp"

#include <perp/problems/standard/random.hpp>
#include <perp/solvers/linear_algebra/dense_kernels.hpp>
#include <perp/solvers/linear_algebra/dense_product.hpp>
#include <perp/solvers/linear_algebra/minimum_degree.hpp>
#include <perp/solvers/linear_algebra/quasidefinite_ldl.hpp>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace perp::test {
namespace {

DenseMatrix random_matrix(int rows, int columns, Random& random) {
  DenseMatrix a(rows, columns);
  for (double& x : a.reshaped()) x = random.uniform(-1, 1);
  return a;
}

std::vector<const DenseKernels*> runnable() {
  std::vector<const DenseKernels*> list;
  for (const char* name : {"baseline", "avx2", "avx512"}) {
    if (const DenseKernels* kernels = find_dense_kernels(name)) list.push_back(kernels);
  }
  return list;
}

TEST(DenseKernels, AreThoseOfTheMachine) {
  EXPECT_EQ(runnable().front()->name, std::string("baseline"));
  EXPECT_EQ(find_dense_kernels("none"), nullptr);
  if (!std::getenv("PERP_KERNELS")) {
    EXPECT_EQ(&dense_kernels(), runnable().back());
  }
}

// The number after the last block is no part of it.
TEST(DenseKernels, ARowOfBlocksTimesAVector) {
  Random random(5);
  for (const DenseKernels* kernels : runnable()) {
    for (int blocks = 0; blocks < 12; ++blocks) {
      std::vector<int> columns(static_cast<std::size_t>(blocks));
      for (int& c : columns) c = random.index(20);
      const Vector x = random_matrix(60, 1, random), before = random_matrix(3, 1, random);
      Vector a = random_matrix(9 * blocks + 1, 1, random);
      a[9 * blocks] = std::nan("");
      Vector expected = before;
      for (int k = 0; k < blocks; ++k)
        expected += a.segment<9>(9 * k).reshaped(3, 3) * x.segment<3>(3 * columns[k]);
      Vector y = before;
      kernels->add_block_row(blocks, columns.data(), a.data(), x.data(), y.data());
      EXPECT_LT((y - expected).norm(), 1e-14 * (1 + blocks)) << kernels->name << " " << blocks;
    }
  }
}

// Tiles and blocks that are full and that are not; more inner indices than a block has.
TEST(DenseProduct, IsThatOfEigen) {
  Random random(3);
  for (const DenseKernels* kernels : runnable()) {
    DenseProduct product(*kernels);
    for (const int rows : {1, 3, 8, 16, 17, 40, 131, 300}) {
      for (const int columns : {1, 5, 8, 16, 33, 131, 270}) {
        for (const int inner : {1, 2, 7, 32, 300}) {
          const DenseMatrix a = random_matrix(rows + 2, inner, random);
          const DenseMatrix b = random_matrix(columns + 3, inner, random);
          const Vector d = random_matrix(inner, 1, random);
          const DenseMatrix before = random_matrix(rows + 1, columns, random);
          const DenseMatrix expected = before.topRows(rows) - a.topRows(rows) * d.asDiagonal() *
                                                                  b.topRows(columns).transpose();
          for (const bool lower : {false, true}) {
            if (lower && columns > rows) continue;
            DenseMatrix c = before;
            product.add(-1.0, {a.data(), rows, rows + 2}, {b.data(), columns, columns + 3}, inner,
                        d.data(), c.data(), rows + 1, lower);
            DenseMatrix miss = c.topRows(rows) - expected;
            if (lower) miss = DenseMatrix(miss.triangularView<Eigen::Lower>());
            EXPECT_LE(miss.cwiseAbs().maxCoeff(), 1e-15 * (inner + 8))
                << kernels->name << ' ' << rows << ' ' << columns << ' ' << inner << ' ' << lower;
            EXPECT_EQ(c.row(rows), before.row(rows));  // nothing beyond
          }
        }
      }
    }
  }
}

// Full and partial vectors and blocks of eight columns; nothing beyond the rows is touched.
TEST(DenseKernels, ProductsWithVectors) {
  Random random(5);
  for (const DenseKernels* kernels : runnable()) {
    for (const int columns : {1, 2, 7, 8, 9, 19}) {
      for (const int rows : {0, 1, 2, 7, 8, 9, 40, 133}) {
        const DenseMatrix a = random_matrix(rows + 1, columns, random);
        const Vector right = random_matrix(columns, 1, random);
        const Vector left = random_matrix(rows + 1, 1, random);
        Vector y = left, z = right;
        kernels->subtract_product(rows, columns, a.data(), rows + 1, right.data(), y.data());
        kernels->subtract_transposed(rows, columns, a.data(), rows + 1, left.data(), z.data());
        const double bound = 1e-15 * (rows + columns);
        EXPECT_LE((y.head(rows) - (left.head(rows) - a.topRows(rows) * right)).norm(), bound)
            << kernels->name << ' ' << rows << ' ' << columns;
        EXPECT_EQ(y[rows], left[rows]);
        EXPECT_LE((z - (right - a.topRows(rows).transpose() * left.head(rows))).norm(), bound)
            << kernels->name << ' ' << rows << ' ' << columns;
        const Eigen::MatrixXf single = a.cast<float>();
        const DenseMatrix rounded = single.cast<double>();
        y = left;
        z = right;
        kernels->subtract_single_product(rows, columns, single.data(), rows + 1, right.data(),
                                         y.data());
        kernels->subtract_single_transposed(rows, columns, single.data(), rows + 1, left.data(),
                                            z.data());
        EXPECT_LE((y.head(rows) - (left.head(rows) - rounded.topRows(rows) * right)).norm(), bound)
            << kernels->name << ' ' << rows << ' ' << columns;
        EXPECT_EQ(y[rows], left[rows]);
        EXPECT_LE((z - (right - rounded.topRows(rows).transpose() * left.head(rows))).norm(), bound)
            << kernels->name << ' ' << rows << ' ' << columns;
      }
    }
  }
}

TEST(DenseKernels, DivideRows) {
  Random random(4);
  for (const DenseKernels* kernels : runnable()) {
    for (int columns = 1; columns <= kNarrow; ++columns) {
      for (const int rows : {1, 2, 7, 8, 9, 40}) {
        DenseMatrix l = random_matrix(columns + 1, columns, random);
        const Vector inverses = random_matrix(columns, 1, random);
        const DenseMatrix before = random_matrix(rows + 1, columns, random);
        DenseMatrix a = before;
        kernels->divide_rows(rows, columns, a.data(), rows + 1, l.data(), columns + 1,
                             inverses.data());
        const DenseMatrix y = l.topRows(columns)
                                  .triangularView<Eigen::UnitLower>()
                                  .solve(before.topRows(rows).transpose())
                                  .transpose();
        const DenseMatrix expected = y * inverses.asDiagonal();
        const double size = std::max(1.0, expected.cwiseAbs().maxCoeff());
        EXPECT_LE((a.topRows(rows) - expected).cwiseAbs().maxCoeff(), 1e-13 * size)
            << kernels->name << ' ' << columns << ' ' << rows;
        EXPECT_EQ(a.row(rows), before.row(rows));
      }
    }
  }
}

// B by rows, D = I, another factor.
#if defined(__x86_64__)
// Whether the upper parts of vector registers are in use; nothing if the machine does not tell.
std::optional<bool> upper_parts_in_use() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid_count(0xd, 1, &a, &b, &c, &d) || !(a & 4)) return {};
  unsigned low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
  constexpr unsigned kUpperHalves = 1u << 2, kUpperQuarters = 1u << 6;  // of ymm, of zmm
  return (low & (kUpperHalves | kUpperQuarters)) != 0;
}

// If they stay in use, all code without AVX that runs later takes several times as long.
TEST(DenseKernels, LeaveTheUpperPartsOfVectorsEmpty) {
  Random random(5);
  for (const DenseKernels* kernels : runnable()) {
    for (const int n : {1, 3, 8, 17, 40}) {
      const DenseMatrix a = random_matrix(64, 64, random), l = random_matrix(64, 64, random);
      DenseMatrix c = random_matrix(64, 64, random);
      Vector x = Vector::Ones(64), y = Vector::Ones(64), packed(64 * 64);
      const Eigen::MatrixXf single = a.cast<float>();
      const auto check = [&](const char* name) {
        EXPECT_FALSE(upper_parts_in_use().value_or(false)) << kernels->name << " " << name << n;
      };
      const int rows = std::min(n, kernels->row_tile), columns = std::min(n, kernels->column_tile);
      kernels->pack_rows(rows, n, a.data(), 64, 1.0, nullptr, packed.data());
      check("pack_rows");
      kernels->pack_columns(columns, n, a.data(), 64, 1.0, x.data(), packed.data());
      check("pack_columns");
      kernels->subtract_tile(n, a.data(), l.data(), c.data(), 64, rows, columns);
      check("subtract_tile");
      kernels->divide_rows(n, std::min(n, kNarrow), c.data(), 64, l.data(), 64, x.data());
      check("divide_rows");
      kernels->subtract_product(n, n, a.data(), 64, x.data(), y.data());
      check("subtract_product");
      kernels->subtract_transposed(n, n, a.data(), 64, x.data(), y.data());
      check("subtract_transposed");
      kernels->subtract_single_product(n, n, single.data(), 64, x.data(), y.data());
      check("subtract_single_product");
      kernels->subtract_single_transposed(n, n, single.data(), 64, x.data(), y.data());
      check("subtract_single_transposed");
    }
  }
}
#endif

TEST(DenseProduct, TakesTransposedFactors) {
  Random random(6);
  for (const DenseKernels* kernels : runnable()) {
    DenseProduct product(*kernels);
    for (const int n : {3, 20, 150}) {
      const DenseMatrix a = random_matrix(n, n, random), b = random_matrix(n, n, random);
      DenseMatrix c = DenseMatrix::Zero(n, n);
      product.add(0.5, {a.data(), n, n}, {b.data(), n, 1, n}, n, nullptr, c.data(), n, false);
      EXPECT_LE((c - 0.5 * a * b).cwiseAbs().maxCoeff(), 1e-15 * (n + 8)) << kernels->name;
    }
  }
}

// A grid of n x n unknowns, the upper triangle by columns.
struct Grid {
  explicit Grid(int n, double diagonal) : size(n * n), signs(size, 1) {
    for (int k = 0; k < size; ++k) {
      if (k >= n) put(k - n, -1.0);
      if (k % n > 0) put(k - 1, -1.0);
      put(k, diagonal);
      starts.push_back(static_cast<int>(rows.size()));
    }
  }
  void put(int row, double value) {
    rows.push_back(row);
    values.push_back(value);
  }
  Vector multiply(const Vector& x) const {
    Vector y = Vector::Zero(size);
    for (int j = 0; j < size; ++j) {
      for (int k = starts[j]; k < starts[j + 1]; ++k) {
        y[rows[k]] += values[k] * x[j];
        if (rows[k] != j) y[j] += values[k] * x[rows[k]];
      }
    }
    return y;
  }

  int size;
  std::vector<int> starts{0}, rows;
  std::vector<double> values;
  std::vector<signed char> signs;
};

// A hub that all others are tied to comes last or, as one of two that are left, last but one.
TEST(MinimumDegree, EliminatesTheHubOfAStarLast) {
  constexpr int kLeaves = 6, kHub = 2;
  std::vector<int> starts{0}, rows, order;
  for (int j = 0; j <= kLeaves; ++j) {
    if (j > kHub) rows.push_back(kHub);
    for (int i = 0; i < j && j == kHub; ++i) rows.push_back(i);
    starts.push_back(static_cast<int>(rows.size()));
  }
  find_minimum_degree_order(starts, rows, order);
  ASSERT_EQ(order.size(), kLeaves + 1u);
  EXPECT_TRUE(order[kLeaves] == kHub || order[kLeaves - 1] == kHub);
  std::sort(order.begin(), order.end());
  for (int j = 0; j <= kLeaves; ++j) EXPECT_EQ(order[j], j);
}

TEST(MinimumDegree, TakesMatricesWithoutCouplings) {
  std::vector<int> order{7};
  find_minimum_degree_order({0, 0, 0, 0}, {}, order);
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
  find_minimum_degree_order({0}, {}, order);
  EXPECT_TRUE(order.empty());
}

// The count of operations, which needs no more than the first step, is that of the whole analysis.
TEST(QuasidefiniteLdl, AnalysesInTwoSteps) {
  const Grid grid(70, 4.0);
  QuasidefiniteLdl at_once, in_steps;
  at_once.analyse(grid.size, grid.starts, grid.rows, grid.signs);
  in_steps.analyse_by_rows(grid.size, grid.starts, grid.rows, grid.signs);
  EXPECT_EQ(in_steps.operations(), at_once.operations());
  EXPECT_FALSE(in_steps.by_blocks());
  in_steps.choose(grid.starts, grid.rows, grid.signs);
  EXPECT_TRUE(in_steps.by_blocks());
  ASSERT_TRUE(at_once.factor(grid.values, 1e-25, 1e-12));
  ASSERT_TRUE(in_steps.factor(grid.values, 1e-25, 1e-12));
  Vector x = Vector::Ones(grid.size), y = x;
  at_once.solve(x.data());
  in_steps.solve(y.data());
  EXPECT_EQ(x, y);  // bit for bit
}

TEST(QuasidefiniteLdl, WorksByRowsOrByBlocks) {
  Random random(5);
  for (const int n : {3, 70}) {
    const Grid grid(n, 4.0);
    QuasidefiniteLdl ldl;
    ldl.analyse(grid.size, grid.starts, grid.rows, grid.signs);
    EXPECT_EQ(ldl.by_blocks(), n > 3);
    ASSERT_TRUE(ldl.factor(grid.values, 1e-25, 1e-12));
    EXPECT_EQ(ldl.substituted(), 0);
    const Vector x = random_matrix(grid.size, 1, random);
    Vector y = grid.multiply(x), again = y;
    ldl.solve(y.data());
    EXPECT_LE((y - x).cwiseAbs().maxCoeff(), 1e-11);
    ASSERT_TRUE(ldl.factor(grid.values, 1e-25, 1e-12));
    ldl.solve(again.data());
    EXPECT_EQ(y, again);  // bit for bit
  }
}

// 400 unknowns that are tied to 30 of 90 others each, but not to each other: blocks of one column
// would pass on as much as they compute.
TEST(QuasidefiniteLdl, LeavesThatPassEverythingOnAreTakenByRows) {
  Random random(6);
  constexpr int kLeaves = 400, kOthers = 90, kTies = 30;
  std::vector<int> starts{0}, rows;
  std::vector<double> values;
  for (int j = 0; j < kLeaves + kOthers; ++j) {
    if (j >= kLeaves) {
      for (int leaf = 0; leaf < kLeaves; ++leaf) {
        if ((j - kLeaves + 7 * leaf) % kOthers >= kTies) continue;
        rows.push_back(leaf);
        values.push_back(random.uniform(-1, 1));
      }
    }
    rows.push_back(j);
    values.push_back(j < kLeaves ? 1.0 : -1.0);
    starts.push_back(static_cast<int>(rows.size()));
  }
  std::vector<signed char> signs(kLeaves + kOthers, 1);
  std::fill(signs.begin() + kLeaves, signs.end(), -1);
  SparseLdl by_rows;
  by_rows.analyse(kLeaves + kOthers, starts, rows, signs);
  EXPECT_GT(by_rows.operations(), 2e5);  // so many, and so many per entry, are for blocks else
  EXPECT_GT(by_rows.operations(), 15.0 * static_cast<double>(by_rows.factor_entries()));
  EXPECT_GT(by_rows.passed_on(), kLeaves * kTies * (kTies + 1) / 2 - 1);
  QuasidefiniteLdl ldl;
  ldl.analyse(kLeaves + kOthers, starts, rows, signs);
  EXPECT_FALSE(ldl.by_blocks());
  ASSERT_TRUE(ldl.factor(values, 1e-25, 1e-12));
}

// Below the least eigenvalue of the grid, 4 - 4 cos(pi / (n + 1)), the matrix is indefinite, and so
// is the block before the first pivot that is not positive, with that row.
TEST(QuasidefiniteLdl, TellsTheFirstPivotOfTheWrongSign) {
  for (const int n : {3, 70}) {
    const double least = 4.0 - 4.0 * std::cos(std::acos(-1.0) / (n + 1));
    for (const double factor : {0.9, 1.1}) {
      const Grid grid(n, 4.0 - factor * least);
      QuasidefiniteLdl ldl;
      ldl.analyse(grid.size, grid.starts, grid.rows, grid.signs);
      ASSERT_TRUE(ldl.factor(grid.values, 0.0, 1.0));
      EXPECT_EQ(ldl.substituted() > 0, factor > 1);
      EXPECT_EQ(ldl.first_substituted() < 0, factor > 1);
      EXPECT_EQ(ldl.first_substituted_row() >= 0, factor > 1);
    }
  }
}

}  // namespace
}  // namespace perp::test
