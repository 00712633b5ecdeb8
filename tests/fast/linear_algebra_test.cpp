// Factorisations and the basis against Eigen.
#include "support.hpp"

#include <perp/problems/limits/current_deadline.hpp>
#include <perp/solvers/linear_algebra/block_lu.hpp>
#include <perp/solvers/linear_algebra/dense_lu.hpp>
#include <perp/solvers/linear_algebra/sparse_lu.hpp>
#include <perp/solvers/pivoting/basis.hpp>

#include <Eigen/LU>

namespace perp::test {
namespace {

class LuSizes : public ::testing::TestWithParam<int> {};

TEST_P(LuSizes, DenseSolvesAndTransposedSolves) {
  const int n = GetParam();
  Random random(n + 1);
  const DenseMatrix a = gaussian(random, n, n);
  DenseLu lu;
  std::copy(a.data(), a.data() + a.size(), lu.matrix(n));
  ASSERT_TRUE(lu.factor());
  const Vector b = gaussian(random, n, 1);
  Vector x = b, y = b;
  lu.solve(x.data());
  lu.solve_transposed(y.data());
  EXPECT_LT((a * x - b).cwiseAbs().maxCoeff(), 1e-11 * (1 + x.cwiseAbs().maxCoeff()));
  EXPECT_LT((a.transpose() * y - b).cwiseAbs().maxCoeff(), 1e-11 * (1 + y.cwiseAbs().maxCoeff()));
}

TEST_P(LuSizes, SparseSolvesAndTransposedSolves) {
  const int n = GetParam();
  Random random(n + 2);
  DenseMatrix a = gaussian(random, n, n);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      if (i != (j + 1) % n && random.uniform() > 3.0 / n)
        a(i, j) = 0.0;  // a cycle keeps it nonsingular, mostly
    }
  }
  SparseLu lu;
  lu.begin(n);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      if (a(i, j) != 0.0) lu.append(i, a(i, j));
    }
    lu.end_column();
  }
  const Eigen::FullPivLU<DenseMatrix> reference(a);
  ASSERT_TRUE(reference.isInvertible());
  ASSERT_TRUE(lu.factor());
  const Vector b = gaussian(random, n, 1);
  Vector x = b, y = b;
  lu.solve(x.data());
  lu.solve_transposed(y.data());
  EXPECT_LT((a * x - b).cwiseAbs().maxCoeff(), 1e-10 * (1 + x.cwiseAbs().maxCoeff()));
  EXPECT_LT((a.transpose() * y - b).cwiseAbs().maxCoeff(), 1e-10 * (1 + y.cwiseAbs().maxCoeff()));
}

INSTANTIATE_TEST_SUITE_P(Sizes, LuSizes, ::testing::Values(1, 2, 3, 4, 5, 7, 8, 16, 33, 120));

TEST(Lu, SingularMatricesAreReported) {
  DenseLu dense;
  const DenseMatrix a = matrix(3, 3, {1, 2, 3, 2, 4, 6, 1, 0, 1});
  std::copy(a.data(), a.data() + 9, dense.matrix(3));
  EXPECT_FALSE(dense.factor());
  SparseLu sparse;
  sparse.begin(2);
  sparse.append(0, 1.0);
  sparse.end_column();
  sparse.append(0, 1.0);
  sparse.end_column();
  EXPECT_FALSE(sparse.factor());
}

// Large factors: four random entries in each column fill most of them.
TEST(Lu, SparseFactorsEndWhenTheTimeIsUp) {
  const int n = 1500;
  Random random(5);
  SparseLu lu;
  lu.begin(n);
  for (int j = 0; j < n; ++j) {
    std::vector<int> rows{j};
    while (rows.size() < 5) {
      const int row = random.index(n);
      if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
    }
    for (const int row : rows) lu.append(row, random.normal());
    lu.end_column();
  }
  ASSERT_TRUE(lu.analyse());
  ASSERT_GT(lu.estimated_operations(), 1e8);
  {
    const Deadline past(1e-9);
    const CurrentDeadline current(past);
    EXPECT_FALSE(lu.factor());
    const Deadline none;
    const CurrentDeadline inner(none);
    EXPECT_FALSE(lu.factor());
  }
  EXPECT_TRUE(lu.factor());
  CurrentDeadline::set_probe([] { return true; });
  EXPECT_FALSE(lu.factor());
  CurrentDeadline::set_probe(nullptr);
  ASSERT_TRUE(lu.factor());
  Vector product = Vector::Zero(n);
  const SquareColumns& a = lu.matrix();
  for (int j = 0; j < n; ++j) {
    for (int k = a.starts[j]; k < a.starts[j + 1]; ++k) product[a.rows[k]] += a.values[k];
  }
  lu.solve(product.data());
  EXPECT_LT((product.array() - 1.0).abs().maxCoeff(), 1e-8);
}

void fill(BlockLu& lu, const DenseMatrix& a) {
  const int blocks = static_cast<int>(a.rows()) / 3;
  lu.begin(blocks);
  for (int j = 0; j < blocks; ++j) {
    std::vector<int> rows;
    for (int i = 0; i < blocks; ++i) {
      if (a.block(3 * i, 3 * j, 3, 3).cwiseAbs().maxCoeff() > 0) rows.push_back(i);
    }
    double* to = lu.append_column(rows);
    for (const int i : rows) {
      Eigen::Map<Eigen::Matrix<double, kBlockStride, 3>> block(to);
      block.setZero();
      block.topRows(3) = a.block(3 * i, 3 * j, 3, 3);
      to += kBlockValues;
    }
  }
}

// Blocks of the diagonal, and others with this probability.
DenseMatrix block_matrix(Random& random, int blocks, double density) {
  DenseMatrix a = DenseMatrix::Zero(3 * blocks, 3 * blocks);
  for (int j = 0; j < blocks; ++j) {
    for (int i = 0; i < blocks; ++i) {
      if (i == j || random.uniform() < density)
        a.block(3 * i, 3 * j, 3, 3) = gaussian(random, 3, 3);
    }
    a.block(3 * j, 3 * j, 3, 3) += 4.0 * DenseMatrix::Identity(3, 3);
  }
  return a;
}

class BlockLuSizes : public ::testing::TestWithParam<int> {};

// Patterns of blocks that are not symmetric too, and new values in an old pattern.
TEST_P(BlockLuSizes, SolvesAsTheDenseOneDoes) {
  const int blocks = GetParam();
  Random random(blocks + 3);
  BlockLu lu;
  for (const double density : {0.0, 2.0 / (blocks + 1), 1.0}) {
    DenseMatrix a = block_matrix(random, blocks, density);
    for (int round = 0; round < 2; ++round) {
      fill(lu, a);
      ASSERT_TRUE(lu.factor());
      const Vector b = gaussian(random, 3 * blocks, 1);
      Vector x = b;
      ASSERT_TRUE(lu.solve(x.data()));
      const Vector reference = Eigen::FullPivLU<DenseMatrix>(a).solve(b);
      EXPECT_LT((x - reference).cwiseAbs().maxCoeff(),
                1e-7 * (1 + reference.cwiseAbs().maxCoeff()));
      EXPECT_LE((a * x - b).cwiseAbs().maxCoeff(),
                2e-12 * (a.cwiseAbs() * x.cwiseAbs() + b.cwiseAbs()).maxCoeff());
      a *= 0.75;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, BlockLuSizes, ::testing::Values(1, 2, 3, 5, 8, 21, 60));

// An arrow: in the order of the rows L would be full, in that of AMD nothing fills in.
TEST(BlockLu, OrderKeepsAnArrowSparse) {
  constexpr int kBlocks = 40;
  Random random(1);
  DenseMatrix a = block_matrix(random, kBlocks, 0.0);
  for (int k = 1; k < kBlocks; ++k) {
    a.block(3 * k, 0, 3, 3) = gaussian(random, 3, 3);
    a.block(0, 3 * k, 3, 3) = gaussian(random, 3, 3);
  }
  BlockLu lu;
  fill(lu, a);
  lu.analyse();
  // One block below each diagonal block but the last: three products and inversions.
  EXPECT_EQ(lu.estimated_operations(), 54.0 * (3 * (kBlocks - 1) + 1));
}

TEST(BlockLu, SaysWhereItNeedsPivotsOfOtherBlocks) {
  // Nonsingular, but its diagonal blocks are not.
  DenseMatrix a = DenseMatrix::Zero(6, 6);
  a.block(0, 3, 3, 3).setIdentity();
  a.block(3, 0, 3, 3).setIdentity();
  BlockLu lu;
  fill(lu, a);
  EXPECT_FALSE(lu.factor());
  // Growth of 1e18 leaves no digit of the others; after 1e10 refinement finds what is lost.
  Random random(4);
  for (const double pivot : {1e-18, 1e-10}) {
    a = gaussian(random, 15, 15);
    a.block(0, 0, 3, 3) *= pivot;
    fill(lu, a);
    ASSERT_TRUE(lu.factor());
    const Vector b = gaussian(random, 15, 1);
    Vector x = b;
    EXPECT_EQ(lu.solve(x.data()), pivot == 1e-10);
    if (pivot == 1e-10) {
      EXPECT_LT((a * x - b).cwiseAbs().maxCoeff(), 1e-10);
    }
  }
}

// A random walk of exchanges: solves must agree with the basis matrix formed anew.
class BasisWalk : public ::testing::TestWithParam<int> {};

TEST_P(BasisWalk, UpdatesKeepTheAccuracyOfFactoring) {
  const int m = GetParam();
  Random random(m);
  DenseMatrix dense = gaussian(random, m, m);
  if (m >= 150) {
    for (double& x : dense.reshaped()) x = random.uniform() < 0.9 ? 0.0 : x;  // sparse kernel
  }
  CanonicalProblem problem;
  problem.build(to_mlcp(Lcp{Matrix(dense), gaussian(random, m, 1)}), false);
  Basis basis;
  basis.attach(problem);
  basis.set_covering(Vector::Ones(m));
  std::vector<int> head(m);
  for (int i = 0; i < m; ++i) head[i] = basis.w_id(i);
  basis.set_head(head);
  ASSERT_TRUE(basis.factor());
  std::vector<char> basic(2 * m + 1, 0);
  for (int i = 0; i < m; ++i) basic[basis.w_id(i)] = 1;
  Vector a(m), y(m);
  for (int step = 0; step < 60; ++step) {
    int entering = random.index(2 * m + 1);
    if (basic[entering]) continue;
    basis.column(entering, a);
    basis.solve(a);
    int position;
    a.cwiseAbs().maxCoeff(&position);
    basic[basis.head(position)] = 0;
    basic[entering] = 1;
    basis.replace(position, entering, a);
  }
  DenseMatrix b = DenseMatrix::Zero(m, m);
  for (int p = 0; p < m; ++p) {
    Vector column = Vector::Zero(m);
    basis.add_column(basis.head(p), 1.0, column);
    b.col(p) = column;
  }
  const Vector rhs = gaussian(random, m, 1);
  a = rhs;
  basis.solve(a);
  EXPECT_LT((b * a - rhs).cwiseAbs().maxCoeff(), 1e-9 * (1 + a.cwiseAbs().maxCoeff()));
  y = rhs;
  basis.solve_transposed(y);
  EXPECT_LT((b.transpose() * y - rhs).cwiseAbs().maxCoeff(), 1e-9 * (1 + y.cwiseAbs().maxCoeff()));
  EXPECT_EQ(basis.factorisations, 1);
}

INSTANTIATE_TEST_SUITE_P(Sizes, BasisWalk, ::testing::Values(5, 20, 60, 200));

}  // namespace
}  // namespace perp::test
