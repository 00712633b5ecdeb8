// B A B' beside the product of dense matrices.
#include <perp/problems/matrix/congruence.hpp>
#include <perp/problems/standard/friction_measure.hpp>
#include <perp/problems/standard/random.hpp>

#include <gtest/gtest.h>
#include <cmath>

namespace perp {
namespace {

DenseMatrix random_sparse(Random& random, int rows, int columns, double share) {
  DenseMatrix m = DenseMatrix::Zero(rows, columns);
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < rows; ++i)
      if (random.uniform(0, 1) < share) m(i, j) = random.normal();
  }
  return m;
}

TEST(Congruence, IsTheProductAndSymmetricToTheLastBit) {
  Random random(1);
  for (int trial = 0; trial < 60; ++trial) {
    const int rows = trial % 13, columns = 1 + trial % 7;
    const DenseMatrix b = random_sparse(random, rows, columns, 0.1 + 0.1 * (trial % 8));
    const DenseMatrix half = random_sparse(random, columns, columns, 0.5);
    const DenseMatrix a = half + half.transpose();
    const SparseMatrix product = congruence(b.sparseView(), a.sparseView());
    const DenseMatrix expected = b * a * b.transpose(), found = product;
    ASSERT_EQ(found.rows(), rows);
    ASSERT_EQ(found.cols(), rows);
    ASSERT_TRUE(product.isCompressed());
    if (rows == 0) continue;
    const double size = (b.cwiseAbs() * a.cwiseAbs() * b.cwiseAbs().transpose()).maxCoeff();
    EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), 1e-14 * (1 + size));
    EXPECT_EQ(found, DenseMatrix(found.transpose()));
    for (int j = 0; j < rows; ++j) {
      int last = -1;
      for (SparseMatrix::InnerIterator it(product, j); it; ++it) {
        EXPECT_NE(it.value(), 0.0);
        EXPECT_GT(static_cast<int>(it.row()), last);
        last = static_cast<int>(it.row());
      }
    }
  }
}

TEST(Congruence, LeavesOutWhatCancels) {
  DenseMatrix b(2, 2);
  b << 1, 1, 1, -1;
  const SparseMatrix product = congruence(b.sparseView(), DenseMatrix::Identity(2, 2).sparseView());
  EXPECT_EQ(product.nonZeros(), 2);
  EXPECT_EQ(DenseMatrix(product), DenseMatrix(2 * DenseMatrix::Identity(2, 2)));
}

// Two contacts whose blocks of W have ||W_aa|| = 1 and nine equal entries between them.
int parts_with(double entry) {
  FrictionContact p;
  DenseMatrix w = DenseMatrix::Zero(6, 6);
  for (int i = 0; i < 6; ++i) w(i, i) = 1.0 / std::sqrt(3.0);
  w.topRightCorner(3, 3).setConstant(entry);
  w.bottomLeftCorner(3, 3).setConstant(entry);
  p.W = Matrix(w);
  p.q = Vector::Ones(6);
  p.mu = Vector::Constant(2, 0.5);
  return FrictionMeasure(p).parts();
}

TEST(FrictionParts, BlocksCoupleByTheirNormAndNotByOneEntry) {
  const double bound = 0x1p-52;  // of the norm, which is three times an entry
  EXPECT_EQ(parts_with(0.0), 2);
  EXPECT_EQ(parts_with(0.32 * bound), 2);
  EXPECT_EQ(parts_with(0.35 * bound), 1);
  EXPECT_EQ(parts_with(1.1 * bound), 1);
}

}  // namespace
}  // namespace perp
