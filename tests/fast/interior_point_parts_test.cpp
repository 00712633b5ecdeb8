// The parts of the interior-point method: cones, scalings, factorisations.
#include "support.hpp"

#include <perp/solvers/interior_point/cone_product.hpp>
#include <perp/solvers/interior_point/kkt_system.hpp>
#include <perp/solvers/linear_algebra/dense_cholesky.hpp>
#include <perp/solvers/linear_algebra/sparse_ldl.hpp>

#include <Eigen/LU>

namespace perp::test {
namespace {

const std::vector<Cone> kCones = {{ConeType::kZero, 2},
                                  {ConeType::kNonnegative, 3},
                                  {ConeType::kSecondOrder, 2},
                                  {ConeType::kSecondOrder, 1},
                                  {ConeType::kSecondOrder, 7}};
constexpr int kRows = 15;

// In the interior of the cones, 0 in zero rows; near the boundary for small `inside`.
Vector interior_point(Random& random, double inside) {
  Vector v = Vector::Zero(kRows);
  for (int i = 2; i < 5; ++i) v[i] = random.uniform(inside, 1.0);
  v[7] = random.uniform(0.1, 1.0);
  for (const auto& [offset, size] : {std::pair{5, 2}, std::pair{8, 7}}) {
    v.segment(offset + 1, size - 1) = gaussian(random, size - 1, 1);
    v[offset] = v.segment(offset + 1, size - 1).norm() * (1.0 + inside);
  }
  return v;
}

// The scaling maps z to lambda and lambda to s, from both sides; W and W^-1 undo each other.
TEST(ConeProduct, ScalingOfNesterovAndTodd) {
  ConeProduct cones;
  cones.build(kCones);
  EXPECT_EQ(cones.degree(), 3 + 1 + 2);  // a second-order cone of one row is a half-line
  for (const double inside : {1.0, 1e-3, 1e-8}) {
    Random random(3);
    const Vector s = interior_point(random, inside), z = interior_point(random, inside);
    ConeMatrix w, square;
    w.set_identity(cones);
    square.set_identity(cones);
    ASSERT_TRUE(w.set_scaling(cones, s, z));
    square.set_square(cones, w);
    Vector wz, ws, back, hz;
    w.multiply(cones, z, wz);
    w.divide(cones, s, ws);
    const double accuracy = 1e-14 / inside;
    EXPECT_LT((wz - ws).norm(), accuracy * wz.norm()) << inside;
    square.multiply(cones, z, hz);
    EXPECT_LT((hz - s).norm(), accuracy * s.norm()) << inside;
    w.divide(cones, wz, back);
    EXPECT_LT((back - z).norm(), accuracy * z.norm()) << inside;
    EXPECT_NEAR(wz.squaredNorm(), cones.dot(s, z), accuracy * wz.squaredNorm());
    EXPECT_FALSE(w.set_scaling(cones, -s, z));
  }
}

// What the solver stops on is what the verifier measures, whatever the scaling; products of a slack
// and its multiplier of different signs do not cancel.
TEST(ConicData, MeasuresAsTheVerifierDoes) {
  Random random(5);
  const int n = 6;
  for (int k = 0; k < 40; ++k) {
    ConicQp qp{DenseMatrix(DenseMatrix::Identity(n, n)), gaussian(random, n, 1),
               gaussian(random, kRows, n), gaussian(random, kRows, 1), kCones};
    if (k % 2 == 1) qp.c *= 1e6;
    const Vector x = gaussian(random, n, 1);
    Vector y = interior_point(random, k % 4 < 2 ? 1e-3 : -1e-3);
    if (k % 3 == 0) y *= 1e-9;
    ConicData data;
    data.build(qp, k % 4 == 1);
    Vector scaled_x(n), scaled_y(kRows), px(n), stationarity(n), s(kRows), scratch(kRows);
    for (int j = 0; j < n; ++j) scaled_x[j] = x[j] / data.posed_x(j);
    for (int i = 0; i < kRows; ++i) scaled_y[i] = y[i] / data.posed_y(i);
    data.evaluate_extended(scaled_x, scaled_y, 1.0, px, stationarity, s);
    const ConicData::Residual measured = data.measure(scaled_y, stationarity, s, scratch);
    const Residuals expected = evaluate_residuals(qp, x, y);
    EXPECT_NEAR(measured.primal, expected.primal, 1e-12 * (1 + expected.primal)) << k;
    EXPECT_NEAR(measured.dual, expected.dual, 1e-9 * (1 + expected.dual)) << k;
    EXPECT_NEAR(measured.complementarity, expected.complementarity,
                1e-12 * (1 + expected.complementarity))
        << k;
  }
  // min 1e9 x_1 + x_2, x >= 0, at (-1e-9, 1) with dual (1e9, 1): a gap of 0.
  ConicQp hidden{DenseMatrix(DenseMatrix::Zero(2, 2)),
                 vector({1e9, 1}),
                 DenseMatrix(-DenseMatrix::Identity(2, 2)),
                 Vector::Zero(2),
                 {{ConeType::kNonnegative, 2}}};
  ConicData data;
  data.build(hidden, false);
  Vector px(2), stationarity(2), s(2), scratch(2);
  const Vector x = vector({-1e-9, 1}), y = vector({1e9, 1});
  data.evaluate_extended(x, y, 1.0, px, stationarity, s);
  EXPECT_GE(data.measure(y, stationarity, s, scratch).measure(), 1.0);
}

// Multipliers of 1e12 that are outside their cone by less than doubles show in their lengths.
TEST(ConicData, MeasuresHugeMultipliersAsTheVerifierDoes) {
  for (int k = 0; k < 40; ++k) {
    Random random(static_cast<std::uint64_t>(k));
    ConicQp qp{DenseMatrix(DenseMatrix::Identity(1, 1)),
               Vector::Zero(1),
               DenseMatrix(DenseMatrix::Zero(7, 1)),
               vector({3, 1, 1, 2, 1, -1, 1}),
               {{ConeType::kSecondOrder, 7}}};
    Vector y(7);
    y.tail(6) = 1e12 * gaussian(random, 6, 1);
    y[0] = y.tail(6).norm();
    for (int steps = k % 5; steps > 0; --steps) y[0] = std::nextafter(y[0], 0.0);
    ConicData data;
    data.build(qp, false);
    Vector scaled(7), px(1), stationarity(1), s(7);
    for (int i = 0; i < 7; ++i) scaled[i] = y[i] / data.posed_y(i);
    const double measured = data.measure_extended(Vector::Zero(1), scaled, px, stationarity, s);
    const double expected = evaluate_residuals(qp, Vector::Zero(1), y).natural;
    EXPECT_NEAR(measured, expected, 1e-3 * expected) << k;
    EXPECT_GT(expected, 0.0);
  }
}

TEST(ConeProduct, JordanProductAndItsInverse) {
  ConeProduct cones;
  cones.build(kCones);
  Random random(5);
  const Vector a = interior_point(random, 0.5), d = gaussian(random, kRows, 1);
  Vector x, product, identity = Vector::Zero(kRows);
  cones.divide(a, d, x);
  cones.product(a, x, product);
  EXPECT_LT((product - d).tail(kRows - 2).norm(), 1e-13);
  cones.add_identity(2.0, identity);
  cones.product(identity, a, product);
  EXPECT_LT((product - 2.0 * a).norm(), 1e-15);
  EXPECT_DOUBLE_EQ(cones.smallest_eigenvalue(identity), 2.0);
}

// Just inside at the step, just outside beyond it; never beyond the limit.
TEST(ConeProduct, StepToTheBoundary) {
  ConeProduct cones;
  cones.build(kCones);
  int limited = 0;
  for (int seed = 0; seed < 500; ++seed) {
    Random random(seed);
    const Vector v = interior_point(random, 0.3), d = gaussian(random, kRows, 1);
    const double step = cones.step_to_boundary(v, d, 10.0);
    EXPECT_GE(cones.smallest_eigenvalue(v + (1 - 1e-10) * step * d), 0.0) << seed;
    if (step == 10.0) {
      ++limited;
    } else {
      EXPECT_LE(cones.smallest_eigenvalue(v + (1 + 1e-10) * step * d), 0.0) << seed;
    }
  }
  EXPECT_LT(limited, 250);
  Random random(1);
  const Vector v = interior_point(random, 0.3);
  EXPECT_EQ(cones.step_to_boundary(v, v, 10.0), 10.0);
  EXPECT_NEAR(cones.step_to_boundary(v, -v, 10.0), 1.0, 1e-7);  // the apex: a double root
}

ConeMatrix random_weights(Random& random, const ConeProduct& cones) {
  ConeMatrix h;
  h.set_identity(cones);
  for (int i : cones.linear()) h.diagonal[i] = std::pow(10.0, random.uniform(-3, 3));
  for (std::size_t k = 0; k < h.spectrum.size(); ++k) {
    const double t = std::pow(10.0, random.uniform(-1, 1));
    h.spectrum[k] = {t * random.uniform(1.0, 1e3), t, t * random.uniform(1e-3, 1.0)};
    const auto& block = cones.second_order()[k];
    Vector axis = gaussian(random, block.size - 1, 1);
    h.axis.segment(block.offset + 1, block.size - 1) = axis / axis.norm();
  }
  return h;
}

// Both factorisations, with full and with expanded cones, against a dense LU of the matrix.
TEST(KktSystem, SolvesTheSystemsOfTheMethod) {
  for (const char* linear_algebra : {"dense", "sparse"}) {
    for (int seed = 0; seed < 20; ++seed) {
      Random random(seed);
      const int n = 9;
      const DenseMatrix root = gaussian(random, n, 6);
      ConicQp qp{DenseMatrix(root * root.transpose()), Vector::Zero(n), gaussian(random, kRows, n),
                 Vector::Zero(kRows), kCones};
      if (seed % 2) qp.P = SparseMatrix(qp.P.to_sparse());
      ConicData data;
      data.build(qp, false);
      const ConeMatrix h = random_weights(random, data.cones);
      DenseMatrix k = DenseMatrix::Zero(n + kRows, n + kRows);
      k.topLeftCorner(n, n) = 0.5 * qp.P.to_dense();
      k.bottomLeftCorner(kRows, n) = qp.A.to_dense();
      k.topRightCorner(n, kRows) = qp.A.to_dense().transpose();
      for (int i = 0; i < kRows; ++i) {
        Vector column;
        h.multiply(data.cones, Vector::Unit(kRows, i), column);
        k.col(n + i).tail(kRows) = -column;
      }
      const Vector right = gaussian(random, n + kRows, 1);
      const Vector expected = Eigen::FullPivLU<DenseMatrix>(k).solve(right);
      KktSystem kkt;
      kkt.prepare(data, linear_algebra);
      ASSERT_TRUE(kkt.factor(h, 0.5, 1e-8));
      Vector x, z;
      EXPECT_LT(kkt.solve(right.head(n), right.tail(kRows), x, z, {10}), 1e-11);
      EXPECT_LT((x - expected.head(n)).norm(), 1e-7 * expected.norm()) << linear_algebra << seed;
      EXPECT_LT((z - expected.tail(kRows)).norm(), 1e-7 * expected.norm());
    }
  }
}

TEST(SparseLdl, FactorsQuasiDefiniteMatrices) {
  for (int seed = 0; seed < 30; ++seed) {
    Random random(seed);
    const int n = 1 + random.index(40);
    DenseMatrix k = DenseMatrix::Zero(n, n);
    std::vector<signed char> signs(n);
    for (int j = 0; j < n; ++j) {
      signs[j] = random.index(2) ? 1 : -1;
      k(j, j) = signs[j] * random.uniform(0.5, 2.0);
    }
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < j; ++i) {
        if (signs[i] != signs[j] && random.uniform() < 0.2) k(i, j) = k(j, i) = random.normal();
      }
    }
    std::vector<int> starts{0}, rows;
    std::vector<double> values;
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i <= j; ++i) {
        if (k(i, j) == 0.0) continue;
        rows.push_back(i);
        values.push_back(k(i, j));
      }
      starts.push_back(static_cast<int>(rows.size()));
    }
    SparseLdl ldl;
    ldl.analyse(n, starts, rows, signs);
    for (const double factor : {1.0, 3.0}) {  // the order serves other values as well
      std::vector<double> scaled = values;
      for (double& v : scaled) v *= factor;
      ASSERT_TRUE(ldl.factor(scaled, 1e-12, 1.0));
      EXPECT_EQ(ldl.substituted(), 0);
      Vector x = gaussian(random, n, 1);
      const Vector right = x;
      ldl.solve(x.data());
      EXPECT_LT((factor * k * x - right).norm(), 1e-11 * (1.0 + x.norm())) << seed;
    }
  }
  SparseLdl ldl;
  ldl.analyse(2, {0, 1, 3}, {0, 0, 1}, {1, 1});
  EXPECT_TRUE(ldl.factor({1.0, 2.0, 1.0}, 0.0, 1.0));  // [1 2; 2 1] has a negative pivot
  EXPECT_EQ(ldl.substituted(), 1);
  EXPECT_FALSE(ldl.factor({1.0, kInf, 1.0}, 0.0, 1.0));
}

TEST(DenseCholesky, AddsProducts) {
  Random random(2);
  DenseCholesky cholesky;
  for (const int n : {1, 5, 50}) {
    for (const int columns : {0, 1, 49, 120}) {
      const DenseMatrix a = DenseMatrix::Identity(n, n), b = gaussian(random, n, columns);
      double* const target = cholesky.matrix(n);
      std::copy(a.data(), a.data() + a.size(), target);
      cholesky.add_products(b.data(), columns, n);
      const DenseMatrix sum = Eigen::Map<const DenseMatrix>(target, n, n);
      const DenseMatrix expected = a + b * b.transpose();
      for (int j = 0; j < n; ++j) {
        for (int i = j; i < n; ++i) EXPECT_NEAR(sum(i, j), expected(i, j), 1e-12);
      }
    }
  }
}

// All unknowns may be eliminated before, while rows are left.
TEST(DenseCholesky, WithoutColumnsRowsBelowStayAsTheyAre) {
  DenseCholesky cholesky;
  double* const values = cholesky.matrix(0, 9);
  const double before = 3.0;
  std::vector<double> guard(100, before);  // next to them on the heap
  EXPECT_TRUE(cholesky.factor(0.0));
  EXPECT_EQ(guard, std::vector<double>(100, before));
  EXPECT_EQ(values, cholesky.values());
}

TEST(DenseCholesky, TakesRowsBelow) {
  Random random(6);
  DenseCholesky cholesky;
  for (const int n : {1, 7, 8, 40, 61}) {
    for (const int below : {0, 1, 9, 30}) {
      const DenseMatrix b = gaussian(random, n + below, n);
      DenseMatrix all = b * b.topRows(n).transpose();
      all.topRows(n).diagonal().array() += 1.0;
      const DenseMatrix a = all.topRows(n);
      const DenseMatrix lower = a.llt().matrixL();
      double* const target = cholesky.matrix(n, below);
      std::copy(all.data(), all.data() + all.size(), target);
      ASSERT_TRUE(cholesky.factor(0.0));
      if (below > 0) {
        const Eigen::Map<const DenseMatrix> found(cholesky.values(), n + below, n);
        EXPECT_LT((found.bottomRows(below) * lower.transpose() - all.bottomRows(below)).norm(),
                  1e-10 * (n + below));
      }
      const Vector right = gaussian(random, n, 1);
      Vector x = right;
      cholesky.solve(x.data());
      EXPECT_LT((a * x - right).norm(), 1e-9 * a.norm() * x.norm());
      x = right;
      cholesky.solve_lower(x.data());
      EXPECT_LT((lower * x - right).norm(), 1e-12 * n * (1 + lower.norm() * x.norm()));
    }
  }
}

}  // namespace
}  // namespace perp::test
