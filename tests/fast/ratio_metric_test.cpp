// The ratio metric of convex polyhedra: its linear programs, bounds, gradients and events.
#include "minkowski_support.hpp"

#include <perp/formulations/gap/ratio_metric/ratio.hpp>
#include <perp/formulations/gap/ratio_metric/small_lp.hpp>
#include <perp/solvers/router.hpp>

namespace perp::test {
namespace {

SmallLp random_program(Random& random, int d, int rows) {
  SmallLp p;
  p.unknowns = d;
  for (int i = 0; i < rows; ++i) {
    for (int k = 0; k < d; ++k) p.rows.push_back(random.normal());
    p.b.push_back(random.uniform(0.1, 1.0));
  }
  for (int k = 0; k < d; ++k) {
    p.c[k] = random.normal();
    p.lower[k] = -3.0;
    p.upper[k] = 3.0;
  }
  return p;
}

ConicQp conic_program(const SmallLp& p) {
  const int d = p.unknowns, m = static_cast<int>(p.b.size());
  DenseMatrix a(m + 2 * d, d);
  Vector b(m + 2 * d);
  for (int i = 0; i < m; ++i) {
    for (int k = 0; k < d; ++k) a(i, k) = p.rows[i * d + k];
    b[i] = p.b[i];
  }
  a.bottomRows(2 * d) << -DenseMatrix::Identity(d, d), DenseMatrix::Identity(d, d);
  for (int k = 0; k < d; ++k) {
    b[m + k] = -p.lower[k];
    b[m + d + k] = p.upper[k];
  }
  ConicQp qp;
  qp.P = Matrix(DenseMatrix(DenseMatrix::Zero(d, d)));
  qp.c = Eigen::Map<const Vector>(p.c.data(), d);
  qp.A = Matrix(a);
  qp.b = b;
  qp.cones = {{ConeType::kNonnegative, m + 2 * d}};
  return qp;
}

void expect_vertex(const SmallLp& p, const SmallLpSolution& s) {
  const int d = p.unknowns, m = static_cast<int>(p.b.size());
  Vector stationary = Eigen::Map<const Vector>(p.c.data(), d);
  for (int i = 0; i < m; ++i) {
    double left = -p.b[i];
    for (int k = 0; k < d; ++k) left += p.rows[i * d + k] * s.x[k];
    EXPECT_LE(left, 1e-11);
  }
  for (int k = 0; k < d; ++k) {
    EXPECT_GE(s.multipliers[k], 0.0);
    for (int j = 0; j < d; ++j) {
      const int index = s.basis[k];
      const double entry = index < m              ? p.rows[index * d + j]
                           : (index - m) % d == j ? (index - m < d ? -1.0 : 1.0)
                                                  : 0.0;
      stationary[j] += s.multipliers[k] * entry;
    }
  }
  EXPECT_LT(stationary.cwiseAbs().maxCoeff(), 1e-10);
}

class SmallLpDimensions : public ::testing::TestWithParam<int> {};

TEST_P(SmallLpDimensions, AgreesWithTheInteriorPointMethod) {
  const int d = GetParam();
  Random random(d);
  SmallLpSolver solver;
  for (int round = 0; round < 30; ++round) {
    const SmallLp p = random_program(random, d, 3 + 10 * round % 90);
    const SmallLpSolution& s = solver.solve(p);
    ASSERT_TRUE(s.feasible);
    expect_vertex(p, s);
    Problem problem;
    problem.data = conic_program(p);
    SolveRequest request;
    request.solver = "interior-point";
    request.limits.tolerance = 1e-12;
    const VerifiedResult other = solve_verified(problem, request);
    Vector c = Eigen::Map<const Vector>(p.c.data(), d);
    EXPECT_NEAR(s.value, c.dot(other.answer.z), 1e-10 * (1 + std::abs(s.value)));
  }
}

// Integers, so that many rows meet in a vertex, and costs with zeros, so that edges are solutions.
TEST_P(SmallLpDimensions, TiesHaveMultipliersThatAreNotNegative) {
  const int d = GetParam();
  Random random(d + 10);
  SmallLpSolver solver;
  for (int round = 0; round < 200; ++round) {
    SmallLp p = random_program(random, d, 40);
    for (double& a : p.rows) a = random.index(3) - 1;
    for (double& b : p.b) b = random.index(3);
    for (int k = 0; k < d; ++k) p.c[k] = random.index(3) - 1;
    const SmallLpSolution& s = solver.solve(p);
    ASSERT_TRUE(s.feasible);  // 0 is
    expect_vertex(p, s);
  }
}

TEST_P(SmallLpDimensions, SaysWhatHasNoSolution) {
  const int d = GetParam();
  Random random(d + 20);
  SmallLpSolver solver;
  for (int round = 0; round < 50; ++round) {
    SmallLp p = random_program(random, d, 20);
    // Two rows that exclude each other, by little.
    for (int k = 0; k < d; ++k) p.rows[k] = p.rows[d + k] = 0.1 * random.normal();
    for (int k = 0; k < d; ++k) p.rows[k] = -p.rows[k];
    p.b[0] = -0.01;
    p.b[1] = 0.01 - 1e-9;
    EXPECT_FALSE(solver.solve(p).feasible);
    p.b[1] = 0.01;
    // Now a plane, which the others may cut or not.
    const SmallLpSolution& s = solver.solve(p);
    if (s.feasible) expect_vertex(p, s);
  }
}

INSTANTIATE_TEST_SUITE_P(Dimensions, SmallLpDimensions, ::testing::Values(2, 3, 4, 5, 6));

FacedSolid cube(const Vector3d& centre, const Matrix3d& axes = Matrix3d::Identity()) {
  return faced_solid(Box{Vector3d::Ones()}, centre, axes);
}

TEST(RatioMetric, OfAlignedCubesIsHalfTheirDistance) {
  RatioMetric metric(3);
  for (const double d : {1e-3, 0.5, 1.0, 1.999, 2.0, 2.5, 40.0}) {
    const FacedSolid a = cube({0.2 * d, -0.1 * d, d}), b = cube(Vector3d::Zero());
    const RatioEvent e = metric.measure(a, b);
    EXPECT_NEAR(e.t, d / 2, 1e-14 * (1 + d));
    EXPECT_NEAR(e.rho, 1 - 2 / d, 1e-12 * (1 + 1 / d));
    EXPECT_LT((e.gradient - Vector3d(0, 0, 0.5)).norm(), 1e-13);
    // The corners of the square they share: one event each.
    const std::vector<RatioEvent> events = metric.events(a, b, d / 2);
    EXPECT_EQ(events.size(), 4u) << d;
    for (const RatioEvent& k : events) {
      EXPECT_NEAR(k.t, d / 2, 1e-14 * (1 + d));
      EXPECT_NEAR(k.gap(), (d / 2 - 1) * d, 1e-12 * (1 + d * d));
      EXPECT_LT((k.gradient - Vector3d(0, 0, 0.5)).norm(), 1e-12);
    }
  }
}

TEST(RatioMetric, OfCentresInOnePlaceHasNoGradient) {
  RatioMetric metric(3);
  const RatioEvent e = metric.measure(cube({1, 2, 3}), cube({1, 2, 3}));
  EXPECT_EQ(e.t, 0.0);
  EXPECT_EQ(e.rho, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(e.gradient.norm(), 0.0);
  EXPECT_TRUE(metric.events(cube({1, 2, 3}), cube({1, 2, 3}), 2.0).empty());
}

// Corners over a face, and two edges across each other.
TEST(RatioMetric, EventsHaveTheirOwnRatios) {
  RatioMetric metric(3);
  const Matrix3d tilt = Eigen::AngleAxisd(0.1, Vector3d::UnitX()).toRotationMatrix();
  const FacedSolid a = cube({0, 0, 2.2}, tilt);
  FacedSolid b = faced_solid(Box{{5, 5, 1}}, Vector3d::Zero(), Matrix3d::Identity());
  const std::vector<RatioEvent> events = metric.events(a, b, 1.5);
  ASSERT_EQ(events.size(), 4u);  // the corners below
  int low = 0;
  for (const RatioEvent& e : events) {
    EXPECT_LT((e.gradient.normalized() - Vector3d::UnitZ()).norm(), 1e-9);
    // corner: c + t tilt (+-1, +-1, -1); face z = t
    const double down = std::cos(0.1) + (e.point.y() < 0 ? 1 : -1) * std::sin(0.1);
    EXPECT_NEAR(e.t, 2.2 / (1 + down), 1e-12);
    low += e.t < 1.06;
  }
  EXPECT_EQ(low, 2);
  const FacedSolid roof = cube({0, 0, 2 * std::sqrt(2.0) + 0.1},
                               Eigen::AngleAxisd(std::numbers::pi / 4, Vector3d::UnitX()).matrix()),
                   ridge =
                       cube(Vector3d::Zero(),
                            Eigen::AngleAxisd(std::numbers::pi / 4, Vector3d::UnitY()).matrix());
  const std::vector<RatioEvent> crossing = metric.events(roof, ridge, 1.1);
  ASSERT_EQ(crossing.size(), 1u);
  EXPECT_NEAR(crossing[0].t, 1 + 0.1 / (2 * std::sqrt(2.0)), 1e-13);
  EXPECT_LT((crossing[0].gradient.normalized() - Vector3d::UnitZ()).norm(), 1e-12);
}

class RatioDimensions : public ::testing::TestWithParam<int> {};

TEST_P(RatioDimensions, IsBoundedByTheDistance) {
  const RatioBounds bounds = ratio_bounds(GetParam(), 1, GetParam() == 2 ? 300 : 200);
  EXPECT_EQ(bounds.violations, 0);
  EXPECT_GT(bounds.apart, bounds.pairs / 10);
  EXPECT_GT(bounds.overlapping, bounds.pairs / 10);
  EXPECT_LT(bounds.furthest_event, 1e-9);
}

TEST_P(RatioDimensions, GradientsAreThoseOfDifferences) {
  const int d = GetParam();
  Random random(d + 40);
  RatioMetric metric(d);
  int checked = 0;
  for (int round = 0; round < 400; ++round) {
    const RandomSolid a = random_solid(random, d), b = random_solid(random, d);
    Vector3d apart = Vector3d::Zero();
    for (int k = 0; k < d; ++k) apart[k] = random.normal();
    apart *= random.uniform(0.5, 4.0) / apart.norm();
    Matrix3d axes = random_axes(random, d);
    std::vector<double> y, y_low, y_high;
    const RatioEvent at = metric.measure(a.faced(apart, axes), b.faced(), &y);
    constexpr double kStep = 1e-6;
    for (int k = 0; k < 2 * d - (d == 2); ++k) {
      const bool turn = k >= d;
      const Vector3d axis = d == 2 && turn ? Vector3d::UnitZ() : Vector3d(Vector3d::Unit(k % 3));
      const auto moved = [&](double by, std::vector<double>& basis) {
        const Matrix3d r = turn ? Eigen::AngleAxisd(by, axis).matrix() : Matrix3d::Identity();
        return metric
            .measure(a.faced(turn ? apart : Vector3d(apart + by * axis), r * axes), b.faced(),
                     &basis)
            .t;
      };
      const double difference = (moved(kStep, y_high) - moved(-kStep, y_low)) / (2 * kStep);
      const auto same = [&](const std::vector<double>& other) {
        for (std::size_t i = 0; i < y.size(); ++i) {
          if ((y[i] > 0) != (other[i] > 0)) return false;
        }
        return true;
      };
      if (!same(y_low) || !same(y_high)) continue;  // another vertex within the interval
      ++checked;
      const double exact =
          turn ? (at.point - apart).cross(at.gradient).dot(axis) : at.gradient.dot(axis);
      EXPECT_NEAR(difference, exact, 1e-6 * (1 + std::abs(exact)));
    }
  }
  EXPECT_GT(checked, 500);
}

INSTANTIATE_TEST_SUITE_P(Dimensions, RatioDimensions, ::testing::Values(2, 3));

}  // namespace
}  // namespace perp::test
