// Gmres: answers of a dense LU, the number of its steps, its ends.
#include "support.hpp"

#include <Eigen/LU>
#include <perp/solvers/linear_algebra/gmres.hpp>

namespace perp::test {
namespace {

/// K with the inverse of another matrix as preconditioner.
class DenseMap final : public PreconditionedMap {
 public:
  DenseMap(const DenseMatrix& k, const DenseMatrix& inverse) : k_(k), inverse_(inverse) {}
  void apply(const Vector& v, Vector& x, Vector& w) override {
    x = inverse_ * v;
    w = k_ * x;
  }

 private:
  DenseMatrix k_, inverse_;
};

constexpr int kSize = 40;

DenseMatrix regular_matrix(Random& random) {
  return gaussian(random, kSize, kSize) + 20.0 * DenseMatrix::Identity(kSize, kSize);
}

TEST(Gmres, OneStepIfThePreconditionerIsTheMap) {
  Random random(1);
  const DenseMatrix k = regular_matrix(random);
  DenseMap map(k, k.inverse());
  Gmres gmres;
  gmres.reserve(kSize, kSize, 5);
  const Vector b = gaussian(random, kSize, 1);
  Vector x(kSize);
  EXPECT_TRUE(gmres.solve(map, b, 1e-12, 5, x));
  EXPECT_EQ(gmres.steps(), 1);
  EXPECT_LT((x - k.lu().solve(b)).norm(), 1e-12 * x.norm());
}

// A change of the map of rank k costs at most k steps more.
TEST(Gmres, AChangeOfLowRankCostsAsManySteps) {
  Random random(2);
  const DenseMatrix k = regular_matrix(random);
  for (const int rank : {1, 3, 6}) {
    const DenseMatrix changed =
        k + 50.0 * gaussian(random, kSize, rank) * gaussian(random, rank, kSize);
    DenseMap map(changed, k.inverse());
    Gmres gmres;
    gmres.reserve(kSize, kSize, 10);
    const Vector b = gaussian(random, kSize, 1);
    Vector x(kSize);
    EXPECT_TRUE(gmres.solve(map, b, 1e-9, 10, x)) << rank;
    EXPECT_EQ(gmres.steps(), rank + 1);
    EXPECT_LT((changed * x - b).norm(), 1e-8 * b.norm());
    EXPECT_FALSE(gmres.solve(map, b, 1e-9, rank, x));
    EXPECT_EQ(gmres.steps(), rank);
  }
}

// The residual of every number of steps is the least one of the space of that many steps.
TEST(Gmres, MinimisesTheResidualOverTheKrylovSpace) {
  Random random(3);
  const DenseMatrix k = regular_matrix(random), inverse = DenseMatrix::Identity(kSize, kSize);
  const Vector b = gaussian(random, kSize, 1);
  DenseMap map(k, inverse);
  Gmres gmres;
  gmres.reserve(kSize, kSize, 8);
  DenseMatrix space(kSize, 0);
  Vector power = b;
  for (int most = 1; most <= 8; ++most) {
    space.conservativeResize(kSize, most);
    space.col(most - 1) = power.normalized();
    power = k * space.col(most - 1);
    Vector x(kSize);
    gmres.solve(map, b, 0.0, most, x);
    const DenseMatrix images = k * space;
    const Vector least = images.fullPivHouseholderQr().solve(b);
    EXPECT_NEAR((b - k * x).norm(), (b - images * least).norm(), 1e-9 * b.norm()) << most;
  }
}

TEST(Gmres, EndsOfZeroSingularAndUnboundedSystems) {
  Gmres gmres;
  gmres.reserve(2, 2, 4);
  const DenseMatrix one = DenseMatrix::Identity(2, 2);
  Vector x = vector({7, 7});
  DenseMap map(one, one);
  EXPECT_TRUE(gmres.solve(map, vector({0, 0}), 1e-8, 4, x));
  EXPECT_EQ(x, vector({0, 0}));
  EXPECT_FALSE(gmres.solve(map, vector({1, kInf}), 1e-8, 4, x));
  DenseMap zero(DenseMatrix::Zero(2, 2), one);
  EXPECT_FALSE(gmres.solve(zero, vector({1, 2}), 1e-8, 4, x));
  EXPECT_TRUE(x.allFinite());
  DenseMatrix singular = one;
  singular(1, 1) = 0.0;
  DenseMap half(singular, one);
  EXPECT_FALSE(gmres.solve(half, vector({1, 2}), 1e-8, 4, x));
  EXPECT_TRUE(x.allFinite());
}

}  // namespace
}  // namespace perp::test
