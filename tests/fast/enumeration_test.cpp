// Rays of cones, and all solutions of small problems: points, rays and lines.
#include "support.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <perp/problems/matrix/infinity.hpp>
#include <perp/problems/standard/random.hpp>
#include <perp/problems/standard/reductions.hpp>
#include <perp/problems/standard/residuals.hpp>
#include <perp/solvers/enumeration/enumerate.hpp>
#include <perp/solvers/enumeration/recession_cone.hpp>

namespace perp::test {
namespace {

std::vector<Vector> rays_of(const DenseMatrix& limits) {
  return rays_of_cone(limits, [] { return false; }).rays;
}

bool contains(const std::vector<Vector>& list, const Vector& wanted) {
  return std::any_of(list.begin(), list.end(),
                     [&](const Vector& x) { return (x - wanted).cwiseAbs().maxCoeff() < 1e-12; });
}

TEST(RaysOfCone, ConesWithKnownRays) {
  const std::vector<Vector> orthant = rays_of(DenseMatrix::Identity(3, 3));
  EXPECT_EQ(orthant.size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(contains(orthant, Vector::Unit(3, i)));
  // A pyramid with four sides has four edges.
  const std::vector<Vector> pyramid =
      rays_of(DenseMatrix{{1, 0, 1}, {-1, 0, 1}, {0, 1, 1}, {0, -1, 1}});
  EXPECT_EQ(pyramid.size(), 4u);
  for (const double x : {1.0, -1.0})
    for (const double y : {1.0, -1.0}) EXPECT_TRUE(contains(pyramid, Vector{{x, y, 1.0}}));
  // A half-plane: one edge beside the line, and the line's two directions.
  const std::vector<Vector> half = rays_of(DenseMatrix{{0, 1}});
  EXPECT_EQ(half.size(), 3u);
  EXPECT_TRUE(contains(half, Vector{{0, 1}}));
  EXPECT_TRUE(contains(half, Vector{{1, 0}}));
  EXPECT_TRUE(contains(half, Vector{{-1, 0}}));
  EXPECT_EQ(rays_of(DenseMatrix(0, 2)).size(), 4u);                     // the plane
  EXPECT_TRUE(rays_of(DenseMatrix{{1, 0}, {0, 1}, {-1, -1}}).empty());  // only 0
}

// A linear function is at least zero on the cone if and only if it is so on all rays.
TEST(RaysOfCone, RaysMakeTheWholeCone) {
  Random random(7);
  int outside = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const int n = 2 + random.index(3), m = random.index(7);
    DenseMatrix limits(m, n);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) limits(i, j) = random.index(5) - 2;
    const std::vector<Vector> rays = rays_of(limits);
    for (const Vector& ray : rays) {
      if (m > 0) {
        EXPECT_GE((limits * ray).minCoeff(), -1e-9);
      }
    }
    for (int k = 0; k < 50; ++k) {
      Vector t(n), f(n);
      for (int j = 0; j < n; ++j) {
        t[j] = random.index(7) - 3;
        f[j] = random.index(7) - 3;
      }
      if (m > 0 && (limits * t).minCoeff() < 0) continue;
      const bool positive_on_rays =
          std::all_of(rays.begin(), rays.end(), [&](const Vector& r) { return f.dot(r) >= 0; });
      if (positive_on_rays) {
        EXPECT_GE(f.dot(t), -1e-9) << limits << "\nt " << t.transpose();
      }
      outside += f.dot(t) < 0;
    }
  }
  EXPECT_GT(outside, 100);
}

Mlcp lcp_of(const DenseMatrix& m, const Vector& q) { return to_mlcp(Lcp{m, q}); }

// z1 is 0 or 1, whatever the size of z2.
TEST(Enumerate, ALargeUnknownHidesNoSolution) {
  for (const double large : {1.0, 2e7, 1e12}) {
    const Enumeration found =
        enumerate_solutions(lcp_of(DenseMatrix{{-1, 0}, {0, 1}}, Vector{{1, -large}}), 1e-8);
    EXPECT_EQ(found.solutions.size(), 2u) << large;
    EXPECT_FALSE(found.continuum || found.doubtful) << large;
  }
}

// z = 1e9 / 3 is a solution, but no double near it has a residual of 1e-8.
TEST(Enumerate, TellsThatDoublesMissASolution) {
  const Enumeration found = enumerate_solutions(lcp_of(DenseMatrix{{-3}}, Vector{{1e9}}), 1e-8);
  EXPECT_EQ(found.solutions.size(), 1u);
  EXPECT_TRUE(found.doubtful);
}

TEST(Enumerate, RaysOfSolutions) {
  // z1 is 0 or 1; z2 is any number >= 0.
  const Enumeration beside =
      enumerate_solutions(lcp_of(DenseMatrix{{-1, 0}, {0, 0}}, Vector{{1, 0}}), 1e-10);
  EXPECT_TRUE(beside.continuum);
  EXPECT_EQ(beside.solutions.size(), 2u);
  EXPECT_EQ(beside.rays.size(), 1u);
  EXPECT_TRUE(contains(beside.rays, Vector{{0, 1}}));
  // z4 = 0 and 0 <= z3 <= z2, which has two edges, or z4 >= 0 and z3 = z2.
  const Enumeration wedge = enumerate_solutions(
      lcp_of(DenseMatrix{{-1, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 1, -1, 0}},
             Vector{{1, 0, 0, 0}}),
      1e-10);
  EXPECT_TRUE(contains(wedge.rays, Vector{{0, 1, 0, 0}}));
  EXPECT_TRUE(contains(wedge.rays, Vector{{0, 1, 1, 0}}));
  EXPECT_FALSE(contains(wedge.rays, Vector{{0, 0, 1, 0}}));
  // A free unknown that nothing depends on: a line.
  Mlcp line{DenseMatrix{{-1, 0}, {0, 0}}, Vector{{1, 0}}, Vector{{0, -kInfinity}},
            Vector{{kInfinity, kInfinity}}};
  const Enumeration both = enumerate_solutions(line, 1e-10);
  EXPECT_TRUE(contains(both.rays, Vector{{0, 1}}));
  EXPECT_TRUE(contains(both.rays, Vector{{0, -1}}));
  // Between two bounds: a segment has no rays.
  line.lower[1] = 0.0;
  line.upper[1] = 5.0;
  const Enumeration segment = enumerate_solutions(line, 1e-10);
  EXPECT_TRUE(segment.continuum);
  EXPECT_TRUE(segment.rays.empty());
  EXPECT_TRUE(contains(segment.solutions, Vector{{1, 5}}));
  // The least point of a singular basis lies between its extreme points and is none of them.
  line.lower[1] = -3.0;
  EXPECT_EQ(enumerate_solutions(line, 1e-10).solutions.size(), 4u);
}

// Its extreme point is a solution of a regular basis, and the least point of the singular one,
// (1/2, -1/2), is out of bounds: z = (1 + t, t) are solutions all the same.
TEST(Enumerate, SeesAContinuumBehindAnExtremePoint) {
  const Enumeration found =
      enumerate_solutions(lcp_of(DenseMatrix{{1, -1}, {0, 0}}, Vector{{-1, 0}}), 1e-10);
  EXPECT_EQ(found.solutions.size(), 1u);
  EXPECT_TRUE(found.continuum);
  EXPECT_EQ(found.rays.size(), 1u);
  EXPECT_TRUE(contains(found.rays, Vector{{1, 1}}));
}

// z_1 from 0 to 2e-6, z_2 = 4e9 - 2e15 z_1: beside numbers of 1e15 no end of the piece is seen, and
// the points that were found must not get lost.
TEST(Enumerate, LosesNoSolutionToBadScales) {
  const Mlcp p{matrix(3, 3, {0, 0, 1, 0, 0, 0, 0, 2e15, 1}), vector({0, 0, -4e9}),
               vector({0, 0, -kInf}), vector({kInf, kInf, kInf})};
  const Enumeration all = enumerate_solutions(p, 1e-8);
  ASSERT_FALSE(all.solutions.empty());
  for (const Vector& z : all.solutions) EXPECT_LE(evaluate_residuals(p, z).natural, 1e-8);
}

// 3^12 bases take a while: who stops it gets an end that says so.
TEST(Enumerate, CanBeStopped) {
  const int n = 12;
  Mlcp p = lcp_of(DenseMatrix::Identity(n, n), Vector::Constant(n, -1.0));
  p.lower.setZero();
  p.upper.setOnes();
  IterationRecords stop;
  stop.stop_after = 3;
  Enumerate solver;
  solver.prepare(problem_of(p));
  const Result& r = solver.solve(nullptr, &stop);
  EXPECT_EQ(r.status, Status::kInterrupted);
  EXPECT_EQ(stop.records.size(), 3u);
  EXPECT_LT(r.iterations, 10000);
}

// Small whole numbers give many singular bases. Every ray leads over solutions, from one of those
// found. What solves the problem on a grid is in the list, or there is a continuum.
TEST(Enumerate, RaysAreThoseOfTheProblem) {
  Random random(11);
  int unbounded = 0, bounded = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const int n = 2 + random.index(3);
    DenseMatrix m(n, n);
    Vector q(n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) m(i, j) = random.index(3) - 1;
      q[i] = random.index(4) - 1;
    }
    const Mlcp problem = lcp_of(m, q);
    const Enumeration found = enumerate_solutions(problem, 1e-10);
    const auto solves = [&](const Vector& z) {
      return evaluate_residuals(problem, z).natural <=
             1e-9 * std::max(1.0, z.lpNorm<Eigen::Infinity>());
    };
    for (const Vector& d : found.rays) {
      EXPECT_TRUE(
          std::any_of(found.solutions.begin(), found.solutions.end(),
                      [&](const Vector& z) { return solves(z + d) && solves(z + 1e6 * d); }))
          << m << "\nq " << q.transpose() << "\nd " << d.transpose();
    }
    // An entry of 20 is larger than those of extreme points here: a ray leads there. Without a
    // continuum all solutions are in the list.
    constexpr std::array kEntries{0.0, 0.5, 1.0, 2.0, 20.0};
    bool reached = false;
    for (int code = 0; code < std::pow(kEntries.size(), n); ++code) {
      Vector z(n);
      for (int i = 0, rest = code; i < n; ++i, rest /= static_cast<int>(kEntries.size()))
        z[i] = kEntries[static_cast<std::size_t>(rest) % kEntries.size()];
      if (!solves(z)) continue;
      reached = reached || z.maxCoeff() == kEntries.back();
      if (!found.continuum) {
        EXPECT_TRUE(contains(found.solutions, z)) << m << "\nq " << q.transpose();
      }
    }
    const bool close = std::all_of(found.solutions.begin(), found.solutions.end(),
                                   [&](const Vector& z) { return z.maxCoeff() < kEntries.back(); });
    if (reached && close) {
      EXPECT_FALSE(found.rays.empty()) << m << "\nq " << q.transpose();
    }
    (found.rays.empty() ? bounded : unbounded) += 1;
  }
  EXPECT_GT(unbounded, 20);
  EXPECT_GT(bounded, 20);
}

}  // namespace
}  // namespace perp::test
