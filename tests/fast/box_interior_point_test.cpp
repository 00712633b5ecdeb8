// The interior-point method over bounds: closed forms, bounds of every sort, monotone problems with
// and without a strictly complementary solution, ends without a solution.
#include "support.hpp"

#include <perp/problems/expression/expr.hpp>
#include <perp/solvers/box_interior_point/box_interior_point.hpp>
#include <perp/solvers/enumeration/enumerate.hpp>

namespace perp::test {
namespace {

Result solved_by_interior_point(const Problem& problem, double tolerance = 1e-10) {
  BoxInteriorPoint solver;
  solver.limits.tolerance = tolerance;
  solver.prepare(problem);
  return solver.solve();
}

// z in [0, 1], [-1, 1], free, fixed at 2, at most 3: a triangular M whose solution is worked out.
TEST(BoxInteriorPoint, BoundsOfEverySort) {
  Mlcp p;
  p.M = matrix(5, 5, {1, 0, 0, 0, 0,  //
                      1, 2, 0, 0, 0,  //
                      0, 1, 1, 0, 0,  //
                      0, 0, 0, 0, 0,  //
                      0, 0, 1, 0, 1});
  p.q = vector({-5, 3, 1, 7, -4});
  p.lower = vector({0, -1, -kInf, 2, -kInf});
  p.upper = vector({1, 1, kInf, 2, 3});
  // 1 - 5 < 0: at 1. 1 + 2 z + 3 = 0 has z = -2, below: at -1. -1 + z + 1 = 0. 0 + z - 4 < 0 at 3.
  const Problem problem = problem_of(p);
  const Result r = solved_by_interior_point(problem);
  ASSERT_EQ(r.status, Status::kSolved);
  EXPECT_LT((r.z - vector({1, -1, 0, 2, 3})).lpNorm<Eigen::Infinity>(), 1e-10);
  EXPECT_TRUE(verify(problem, {r.z, {}}, 1e-10).solved);
}

TEST(BoxInteriorPoint, WithoutBoundsItIsNewtonsMethod) {
  Mcp mcp;
  {
    Recorder recorder;
    const ExprVector z = recorder.variables(2);
    mcp.graph = std::make_shared<const ExpressionGraph>(
        recorder.graph({exp(z[0]) - 2.0, z[0] + z[1] * z[1] * z[1] - 1.0}));
  }
  mcp.lower = Vector::Constant(2, -kInf);
  mcp.upper = Vector::Constant(2, kInf);
  Problem problem = problem_of(mcp);
  problem.start = vector({0, 1});
  BoxInteriorPoint solver;
  solver.limits.tolerance = 1e-12;
  solver.prepare(problem);
  const Vector start = *problem.start;
  const Result& r = solver.solve({&start});
  ASSERT_EQ(r.status, Status::kSolved);
  EXPECT_NEAR(r.z[0], std::log(2.0), 1e-11);
  EXPECT_NEAR(r.z[1], std::cbrt(1.0 - std::log(2.0)), 1e-11);
}

// Monotone problems whose solutions are degenerate, or many: found within few factorisations.
TEST(BoxInteriorPoint, MonotoneProblemsNeedFewSteps) {
  int count = 0;
  for (int seed = 1; seed <= 5; ++seed) {
    for (const auto& [family, size] : {std::pair{"psd", 60},
                                       {"psd-deficient", 60},
                                       {"p-matrix", 60},
                                       {"obstacle", 12},
                                       {"random-ncp", 15},
                                       {"spatial-price", 8},
                                       {"traffic-equilibrium", 9}}) {
      const Problem problem = generate(find_family(family), size, seed);
      const Result r = solved_by_interior_point(problem);
      EXPECT_EQ(r.status, Status::kSolved) << problem.name;
      EXPECT_TRUE(verify(problem, {r.z, {}}, 1e-10).solved) << problem.name;
      EXPECT_LE(r.iterations, 60) << problem.name;
      ++count;
    }
  }
  EXPECT_EQ(count, 35);
}

TEST(BoxInteriorPoint, LargeTrafficFromZeroFlow) {
  for (const double planted : {0.0, 1.0}) {
    const Problem problem =
        generate(find_family("traffic-equilibrium"), 24, 2, {{"planted", planted}});
    const Result r = solved_by_interior_point(problem);
    EXPECT_EQ(r.status, Status::kSolved);
    EXPECT_TRUE(verify(problem, {r.z, {}}, 1e-10).solved);
  }
}

// Every solution of a small monotone problem, by its bases, has the answer's F: it is the only one.
TEST(BoxInteriorPoint, AgreesWithEnumeration) {
  Random random(7);
  for (int trial = 0; trial < 60; ++trial) {
    const int n = 2 + random.index(5);
    DenseMatrix a(n, n), skew(n, n);
    for (double& x : a.reshaped()) x = random.normal();
    for (double& x : skew.reshaped()) x = random.normal();
    Mlcp p;
    p.M = DenseMatrix(a * a.transpose() + skew - skew.transpose());
    p.q = Vector(n);
    p.lower = Vector(n);
    p.upper = Vector(n);
    for (int i = 0; i < n; ++i) {
      p.q[i] = 3.0 * random.normal();
      const int sort = random.index(4);
      p.lower[i] = sort == 3 ? -kInf : -random.uniform();
      p.upper[i] = sort == 0 ? kInf : sort == 1 ? p.lower[i] : random.uniform(0.1, 1.0);
    }
    const Problem problem = problem_of(p);
    const Result r = solved_by_interior_point(problem);
    ASSERT_EQ(r.status, Status::kSolved) << trial;
    Enumerate all;
    all.prepare(problem);
    const Result& every = all.solve();
    ASSERT_EQ(every.solutions.size(), 1u) << trial;
    EXPECT_LT((every.solutions[0] - r.z).lpNorm<Eigen::Infinity>(), 1e-6) << trial;
  }
}

// What has no solution is not solved, and ends long before the limit on steps.
TEST(BoxInteriorPoint, ClaimsNothingWhereThereIsNoSolution) {
  for (const char* family : {"infeasible", "no-solution"}) {
    for (int seed = 1; seed <= 10; ++seed) {
      const Result r = solved_by_interior_point(generate(find_family(family), 12, seed));
      EXPECT_NE(r.status, Status::kSolved) << family << seed;
    }
  }
}

// F that does not exist at the first point is told as such.
TEST(BoxInteriorPoint, AFunctionThatDoesNotExistIsNamed) {
  Mcp mcp;
  {
    Recorder recorder;
    const ExprVector z = recorder.variables(1);
    mcp.graph = std::make_shared<const ExpressionGraph>(recorder.graph({log(-1.0 - z[0])}));
  }
  mcp.lower = Vector::Zero(1);
  mcp.upper = Vector::Constant(1, kInf);
  const Result r = solved_by_interior_point(problem_of(mcp));
  EXPECT_EQ(r.status, Status::kNumericalError);
  EXPECT_FALSE(r.message.empty());
}

}  // namespace
}  // namespace perp::test
