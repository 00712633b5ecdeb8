// LU in dense blocks: answers of a dense LU, its ends, and the patterns it works on.
#include "support.hpp"

#include <Eigen/SparseCore>
#include <algorithm>
#include <perp/solvers/linear_algebra/dense_lu.hpp>
#include <perp/solvers/linear_algebra/general_lu.hpp>
#include <perp/solvers/linear_algebra/symmetric_pattern.hpp>
#include <tuple>

namespace perp::test {
namespace {

/// Unsymmetric in pattern and values; `dominant` adds to the diagonal.
DenseMatrix random_sparse_matrix(Random& random, int n, double density, double dominant) {
  DenseMatrix m = DenseMatrix::Zero(n, n);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      if (random.uniform() < density) m(i, j) = random.normal();
    }
    m(j, j) += dominant;
  }
  return m;
}

SquareColumns columns_of(const DenseMatrix& m) {
  SquareColumns columns;
  columns.begin(static_cast<int>(m.rows()));
  for (int j = 0; j < m.cols(); ++j) {
    for (int i = 0; i < m.rows(); ++i) {
      if (m(i, j) != 0.0) columns.append(i, m(i, j));
    }
    columns.end_column();
  }
  return columns;
}

class SupernodalLuCases : public ::testing::TestWithParam<std::tuple<int, double>> {};

// The residual of every answer is that of rounding, the second matrix of a pattern included.
TEST_P(SupernodalLuCases, SolvesToRounding) {
  const auto [n, density] = GetParam();
  Random random(static_cast<std::uint64_t>(n) + 17);
  DenseMatrix m = random_sparse_matrix(random, n, density, 1.0 + 3.0 * std::sqrt(density * n));
  SupernodalLu lu;
  for (int values = 0; values < 2; ++values) {
    ASSERT_TRUE(lu.factor(columns_of(m)));
    const Vector b = gaussian(random, n, 1);
    Vector x = b;
    lu.solve(x.data());
    const double scale = (m.cwiseAbs() * x.cwiseAbs() + b.cwiseAbs()).maxCoeff();
    EXPECT_LE((m * x - b).cwiseAbs().maxCoeff(), 2e-13 * scale);
    for (double& entry : m.reshaped()) entry *= 1.0 + 0.1 * random.normal();
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, SupernodalLuCases,
                         ::testing::Combine(::testing::Values(1, 2, 7, 9, 40, 150),
                                            ::testing::Values(0.02, 0.2, 1.0)));

// A 2D grid, whose fronts have rows to eliminate and rows to leave of every size.
TEST(SupernodalLu, SolvesAGridWithConvection) {
  constexpr int kSide = 30, kSize = kSide * kSide;
  DenseMatrix m = DenseMatrix::Zero(kSize, kSize);
  for (int i = 0; i < kSize; ++i) {
    m(i, i) = 4.0;
    if (i % kSide > 0) m(i, i - 1) = -1.8;
    if (i % kSide < kSide - 1) m(i, i + 1) = -0.2;
    if (i >= kSide) m(i, i - kSide) = -1.5;
    if (i < kSize - kSide) m(i, i + kSide) = -0.5;
  }
  const Vector exact = Vector::LinSpaced(kSize, -1.0, 2.0);
  Vector x = m * exact;
  SupernodalLu lu;
  ASSERT_TRUE(lu.factor(columns_of(m)));
  EXPECT_LT(lu.operations(), 1e-2 * kSize * kSize * kSize);
  Vector rough = x;
  lu.solve(x.data());
  EXPECT_LE((x - exact).cwiseAbs().maxCoeff(), 1e-11);
  // By factors in single precision, those of the last matrix.
  lu.substitute(rough.data());
  EXPECT_LE((rough - exact).cwiseAbs().maxCoeff(), 1e-6);
  ASSERT_TRUE(lu.factor(columns_of(0.5 * m)));
  rough = m * exact;
  lu.substitute(rough.data());
  EXPECT_LE((rough - 2.0 * exact).cwiseAbs().maxCoeff(), 2e-6);
  // Factors that single precision cannot hold are used as they are.
  for (const double scale : {1e60, 1e-60}) {
    ASSERT_TRUE(lu.factor(columns_of(scale * m)));
    rough = scale * m * exact;
    lu.substitute(rough.data());
    EXPECT_LE((rough - exact).cwiseAbs().maxCoeff(), 1e-12) << scale;
  }
}

// [0 1; 1 0] in one front needs rows to be exchanged; a singular matrix, one whose pivots stand
// outside of their fronts, and one that is not finite are refused.
TEST(SupernodalLu, ExchangesRowsOfAFrontAndRefusesWhatNeedsMore) {
  SupernodalLu lu;
  ASSERT_TRUE(lu.factor(columns_of(matrix(2, 2, {0, 1, 2, 0}))));
  Vector x = vector({3, 4});
  lu.solve(x.data());
  EXPECT_EQ(x, vector({2, 3}));
  EXPECT_FALSE(lu.factor(columns_of(matrix(2, 2, {1, 2, 2, 4}))));
  EXPECT_FALSE(lu.factor(columns_of(matrix(2, 2, {1, std::nan(""), 2, 4}))));
  SquareColumns zero;
  zero.begin(1);
  zero.end_column();
  EXPECT_FALSE(lu.factor(zero));
  // A ring of exchanges: the diagonal is zero, and A is a permutation.
  DenseMatrix ring = DenseMatrix::Zero(400, 400);
  for (int i = 0; i < 400; ++i) ring(i, (i + 1) % 400) = 1.0;
  EXPECT_FALSE(lu.factor(columns_of(ring)));
}

// Whatever way it takes, GeneralLu solves; blocks are taken for matrices with large factors alone.
TEST(GeneralLu, TakesBlocksIfTheyPayAndColumnsIfBlocksFail) {
  Random random(5);
  for (const auto& [n, dominant, blocks] :
       {std::tuple(60, 20.0, false), std::tuple(400, 60.0, true), std::tuple(400, 0.0, true)}) {
    const DenseMatrix m = random_sparse_matrix(random, n, 0.5, dominant);
    GeneralLu lu;
    const SquareColumns columns = columns_of(m);
    lu.begin(n);
    for (int j = 0; j < n; ++j) {
      for (int k = columns.starts[j]; k < columns.starts[j + 1]; ++k)
        lu.append(columns.rows[k], columns.values[k]);
      lu.end_column();
    }
    ASSERT_TRUE(lu.factor());
    EXPECT_EQ(lu.by_blocks(), blocks) << n;
    const Vector exact = gaussian(random, n, 1);
    Vector x = m * exact;
    lu.solve(x.data());
    EXPECT_LE((x - exact).cwiseAbs().maxCoeff(), 1e-9);
  }
  GeneralLu
      lu;  // a permutation of 600 that blocks do not solve, beside a dense block that asks for them
  constexpr int kDense = 400, kAll = 1000;
  const DenseMatrix m = random_sparse_matrix(random, kDense, 1.0, 60.0);
  lu.begin(kAll);
  for (int j = 0; j < kAll; ++j) {
    for (int i = 0; i < kDense && j < kDense; ++i) lu.append(i, m(i, j));
    if (j >= kDense) lu.append(j + 1 < kAll ? j + 1 : kDense, 2.0);
    lu.end_column();
  }
  ASSERT_TRUE(lu.factor());
  EXPECT_FALSE(lu.by_blocks());
  Vector x = Vector::Constant(kAll, 2.0);
  lu.solve(x.data());
  EXPECT_LE((x.tail(kAll - kDense).array() - 1.0).abs().maxCoeff(), 1e-15);
}

// Against the definition: entries of A + A' and the diagonal; groups by equal sets of neighbours.
TEST(SymmetricPattern, IsThatOfTheSumAndGroupsWhatLooksAlike) {
  Random random(3);
  for (int trial = 0; trial < 50; ++trial) {
    const int half = 1 + random.index(12), n = 2 * half;
    DenseMatrix m = DenseMatrix::Zero(n, n);
    const DenseMatrix small = random_sparse_matrix(random, half, 0.3, 1.0);
    for (int i = 0; i < n; ++i) {  // unknowns come in pairs that look alike
      for (int j = 0; j < n; ++j) m(i, j) = small(i / 2, j / 2);
    }
    const SquareColumns columns = columns_of(m);
    const SymmetricPattern pattern = symmetric_pattern(n, columns.starts, columns.rows);
    const auto coupled = [&](int i, int j) { return i == j || m(i, j) != 0.0 || m(j, i) != 0.0; };
    for (int j = 0; j < n; ++j) {
      std::vector<int> rows;
      for (int i = 0; i <= j; ++i) {
        if (coupled(i, j)) rows.push_back(i);
        bool alike = true;
        for (int k = 0; k < n; ++k) alike = alike && coupled(k, i) == coupled(k, j);
        EXPECT_EQ(pattern.groups[i] == pattern.groups[j], alike);
      }
      EXPECT_EQ(rows, std::vector<int>(pattern.rows.begin() + pattern.starts[j],
                                       pattern.rows.begin() + pattern.starts[j + 1]));
    }
    EXPECT_LT(*std::max_element(pattern.groups.begin(), pattern.groups.end()), half);
  }
}

}  // namespace
}  // namespace perp::test
