// W = J M^-1 J' against dense algebra, and that it is formed in time that its entries take.
#include "support.hpp"

#include <perp/problems/limits/current_deadline.hpp>
#include <perp/problems/standard/delassus.hpp>

#include <Eigen/LU>
#include <numeric>

namespace perp::test {
namespace {

// Blocks of one to four unknowns, each positive definite, in mixed-up places.
DenseMatrix mass_matrix(Random& random, int n) {
  DenseMatrix mass = DenseMatrix::Zero(n, n);
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  for (int i = n - 1; i > 0; --i)
    std::swap(order[i], order[static_cast<int>(random.uniform() * (i + 1))]);
  for (int at = 0; at < n;) {
    const int size = std::min(n - at, 1 + static_cast<int>(random.uniform() * 4));
    const DenseMatrix half = gaussian(random, size, size);
    const DenseMatrix block = half * half.transpose() + DenseMatrix::Identity(size, size);
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j) mass(order[at + i], order[at + j]) = block(i, j);
    at += size;
  }
  return mass;
}

TEST(Delassus, IsThatOfDenseAlgebra) {
  Random random(41);
  for (int trial = 0; trial < 100; ++trial) {
    const int n = 1 + trial % 20, m = trial % 13;
    const DenseMatrix mass = mass_matrix(random, n);
    DenseMatrix j = gaussian(random, m, n);
    for (double& x : j.reshaped()) x = random.uniform() < 0.7 ? 0.0 : x;
    const DenseMatrix expected = j * mass.inverse() * j.transpose();
    const Matrix given = trial % 2 == 0 ? Matrix(mass) : Matrix(SparseMatrix(mass.sparseView()));
    const DenseMatrix w = delassus(Matrix(SparseMatrix(j.sparseView())), given);
    ASSERT_EQ(w.rows(), m);
    if (m == 0) continue;
    EXPECT_LT((w - expected).cwiseAbs().maxCoeff(),
              1e-12 * std::max(1.0, expected.cwiseAbs().maxCoeff()));
  }
}

TEST(Delassus, OfUnknownsThatAreAllCoupled) {
  Random random(43);
  const int n = 30;
  SparseMatrix mass(n, n);  // a chain: M is tridiagonal, its inverse full
  for (int i = 0; i < n; ++i) {
    mass.coeffRef(i, i) = 3;
    if (i > 0) mass.coeffRef(i, i - 1) = mass.coeffRef(i - 1, i) = -1;
  }
  const DenseMatrix j = gaussian(random, 5, n);
  const DenseMatrix expected = j * DenseMatrix(mass).inverse() * j.transpose();
  const DenseMatrix w = delassus(Matrix(j), Matrix(mass));
  EXPECT_LT((w - expected).cwiseAbs().maxCoeff(), 1e-12);
}

// Contact k is between unknowns k and k + 1: three entries in a column.
TEST(Delassus, OfAChainIsSparse) {
  const int n = 2000;
  SparseMatrix mass(n + 1, n + 1), j(n, n + 1);
  mass.setIdentity();
  for (int k = 0; k < n; ++k) {
    j.coeffRef(k, k) = -1;
    j.coeffRef(k, k + 1) = 1;
  }
  const SparseMatrix w = delassus(Matrix(j), Matrix(mass));
  EXPECT_EQ(w.nonZeros(), 3 * n - 2);
  EXPECT_EQ(w.coeff(7, 7), 2);
  EXPECT_EQ(w.coeff(8, 7), -1);
}

TEST(Delassus, EndsAtTheDeadlineAndRefusesASingularMass) {
  const Matrix j(matrix(1, 2, {1, 1}));
  const Matrix mass(matrix(2, 2, {1, 0, 0, 1}));
  {
    const Deadline passed(1e-12);
    const CurrentDeadline current(passed);
    EXPECT_THROW(delassus(j, mass, &CurrentDeadline::passed), DeadlinePassed);
    EXPECT_EQ(delassus(j, mass).nonZeros(), 1);
  }
  EXPECT_THROW(delassus(j, Matrix(matrix(2, 2, {0, 0, 0, 0}))), std::invalid_argument);
}

}  // namespace
}  // namespace perp::test
