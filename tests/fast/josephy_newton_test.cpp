// Josephy-Newton: classics with their counts, bounds of all sorts, domains, singular Jacobians,
// ends, agreement with other solvers.
#include "support.hpp"

#include <perp/problems/expression/expr.hpp>
#include <perp/solvers/enumeration/enumerate.hpp>
#include <perp/solvers/josephy_newton/josephy_newton.hpp>
#include <perp/solvers/router.hpp>
#include <perp/solvers/semismooth_newton/newton_fb.hpp>

#include <functional>

namespace perp::test {
namespace {

using Map = std::function<ExprVector(const ExprVector&)>;

Problem box_problem(Vector lower, Vector upper, const Map& map) {
  Mcp mcp;
  perp::Recorder recorder;
  const ExprVector z = recorder.variables(static_cast<int>(lower.size()));
  mcp.graph = std::make_shared<const ExpressionGraph>(recorder.graph(map(z)));
  mcp.lower = std::move(lower);
  mcp.upper = std::move(upper);
  return problem_of(std::move(mcp));
}

Problem ncp(int n, const Map& map) {
  return box_problem(Vector::Zero(n), Vector::Constant(n, kInf), map);
}

// The problem of Kojima and Shindo with c = (10, 9, 9), that of Josephy with c = (3, 3, 1).
Problem quartet(double c1, double c2, double c3) {
  return ncp(4, [=](const ExprVector& z) {
    const Expr a = z[0], b = z[1], c = z[2], d = z[3];
    ExprVector f(4);
    f << 3.0 * a * a + 2.0 * a * b + 2.0 * b * b + c + 3.0 * d - 6.0,
        2.0 * a * a + a + b * b + c1 * c + 2.0 * d - 2.0,
        3.0 * a * a + a * b + 2.0 * b * b + 2.0 * c + c2 * d - c3,
        a * a + 3.0 * b * b + 2.0 * c + 3.0 * d - 3.0;
    return f;
  });
}
Problem kojima_shindo() { return quartet(10, 9, 9); }
Problem josephy() { return quartet(3, 3, 1); }

Problem billups() {
  return ncp(1, [](const ExprVector& z) {
    ExprVector f(1);
    f << (z[0] - 1.0) * (z[0] - 1.0) - 1.01;
    return f;
  });
}

struct JosephyAnswer {
  Status status;
  Vector z;
  int iterations;
  std::string message;
  double evaluations, violations, sparse;
};

// Solves and asserts that claim and verifier agree.
JosephyAnswer solve_by_josephy(const Problem& problem, const Vector* start = nullptr,
                               double tolerance = 1e-10,
                               const JosephyNewtonSettings& settings = {}) {
  JosephyNewton solver;
  solver.settings = settings;
  solver.limits.tolerance = tolerance;
  solver.prepare(problem);
  const Result& r = solver.solve(start);
  EXPECT_EQ(r.status == Status::kSolved, verify(problem, {r.z, {}}, tolerance).solved)
      << to_string(r.status);
  return {r.status,
          r.z,
          r.iterations,
          r.message,
          statistic(r, "function_evaluations"),
          statistic(r, "domain_violations"),
          statistic(r, "sparse")};
}

// F(z) = M z + s z^3 elementwise + q with a solution planted among bounds of all sorts.
struct PlantedBox {
  Problem problem;
  Vector solution;
};
PlantedBox planted_box(Random& random, int n, bool monotone, double density = 1.0) {
  DenseMatrix m = gaussian(random, n, n);
  for (double& x : m.reshaped()) x = random.uniform() < density ? x : 0.0;
  if (monotone) m = DenseMatrix(m.transpose() * m / n + 0.1 * DenseMatrix::Identity(n, n));
  Vector lower = Vector::Zero(n), upper = Vector::Constant(n, kInf), solution(n), f(n), cubes(n);
  for (int i = 0; i < n; ++i) {
    const int sort = random.index(4), place = random.index(2);
    if (sort == 1) lower[i] = -kInf;
    if (sort == 2) upper[i] = 1.0;
    if (sort == 3) lower[i] = -kInf, upper[i] = 2.0;
    solution[i] = std::clamp(random.normal(), lower[i], upper[i]);
    if (place == 0 && sort == 0) solution[i] = 0.0;
    if (place == 0 && sort >= 2) solution[i] = upper[i];
    f[i] = solution[i] == lower[i] ? random.uniform() : 0.0;
    if (solution[i] == upper[i]) f[i] = -random.uniform();
    cubes[i] = random.uniform();
  }
  const Vector q = f - m * solution - cubes.cwiseProduct(solution.array().cube().matrix());
  PlantedBox p;
  p.problem = box_problem(lower, upper, [&](const ExprVector& z) {
    ExprVector out(n);
    for (int i = 0; i < n; ++i) {
      Expr sum = q[i] + cubes[i] * z[i] * z[i] * z[i];
      for (int j = 0; j < n; ++j) {
        if (m(i, j) != 0.0) sum += m(i, j) * z[j];
      }
      out[i] = sum;
    }
    return out;
  });
  p.solution = solution;
  return p;
}

TEST(JosephyNewton, KojimaShindoTakesAtMostTwelveEvaluations) {
  const Problem problem = kojima_shindo();
  const Vector solutions[] = {vector({std::sqrt(6.0) / 2, 0, 0, 0.5}), vector({1, 0, 3, 0})};
  for (const double s : {0.0, 1.0, 100.0}) {
    const Vector start = Vector::Constant(4, s);
    const JosephyAnswer a = solve_by_josephy(problem, &start);
    EXPECT_EQ(a.status, Status::kSolved) << s;
    EXPECT_LE(a.evaluations, 12) << s;
    EXPECT_LT(std::min((a.z - solutions[0]).norm(), (a.z - solutions[1]).norm()), 1e-8) << s;
  }
}

TEST(JosephyNewton, KojimaShindoFromManyStarts) {
  Random random(1);
  for (int k = 0; k < 200; ++k) {
    Vector start(4);
    for (double& x : start) x = 5.0 * random.uniform();
    EXPECT_EQ(solve_by_josephy(kojima_shindo(), &start).status, Status::kSolved)
        << start.transpose();
  }
  const Vector zero_pivot = vector({0, 0, 0, 1});
  EXPECT_EQ(solve_by_josephy(kojima_shindo(), &zero_pivot).status, Status::kSolved);
}

TEST(JosephyNewton, JosephysProblem) {
  for (const double s : {0.0, 1.0, 100.0}) {
    const Vector start = Vector::Constant(4, s);
    const JosephyAnswer a = solve_by_josephy(josephy(), &start);
    EXPECT_EQ(a.status, Status::kSolved) << s;
    EXPECT_LT((a.z - vector({std::sqrt(6.0) / 2, 0, 0, 0.5})).norm(), 1e-8) << s;
  }
}

TEST(JosephyNewton, ConvergesQuadratically) {
  JosephyNewton solver;
  solver.limits.tolerance = 1e-13;
  solver.prepare(josephy());
  IterationRecords steps;
  const Vector start = Vector::Constant(4, 1.0);
  ASSERT_EQ(solver.solve(&start, &steps).status, Status::kSolved);
  int quadratic = 0;
  for (std::size_t k = 1; k < steps.records.size(); ++k) {
    const double before = steps.records[k - 1].residual, now = steps.records[k].residual;
    if (before > 0.2 || now < 1e-14) continue;
    EXPECT_LT(now, 10.0 * before * before);
    ++quadratic;
  }
  EXPECT_GE(quadratic, 2);
}

TEST(JosephyNewton, BoundsOfAllSorts) {
  // One unknown each: at the lower bound, at the upper one, between, free, fixed.
  const Problem problem = box_problem(
      vector({0, -1, -4, -kInf, 2}), vector({kInf, 1, 4, kInf, 2}), [](const ExprVector& z) {
        ExprVector f(5);
        f << exp(z[0]) + 1.0, z[1] - 3.0, z[2] * z[2] * z[2] - 8.0, tanh(z[3]) - 0.5, z[4] * z[4];
        return f;
      });
  const JosephyAnswer a = solve_by_josephy(problem, nullptr, 1e-12);
  ASSERT_EQ(a.status, Status::kSolved);
  EXPECT_LT((a.z - vector({0, 1, 2, std::atanh(0.5), 2})).norm(), 1e-11);
}

TEST(JosephyNewton, StepsKeepToTheDomain) {
  // log and sqrt exist from 0 on, and the first Newton step leads far below from 20.
  const Problem problem =
      box_problem(Vector::Constant(2, -kInf), Vector::Constant(2, kInf), [](const ExprVector& z) {
        ExprVector f(2);
        f << log(z[0]) + sqrt(z[0]), log(z[1]) - z[0] + 1.0;
        return f;
      });
  for (const double s : {1.0, 20.0, 1e-3}) {
    const Vector start = Vector::Constant(2, s);
    const JosephyAnswer a = solve_by_josephy(problem, &start);
    ASSERT_EQ(a.status, Status::kSolved) << s;
    if (s == 20.0) {
      EXPECT_GT(a.violations, 0);
    }
    EXPECT_NEAR(std::log(a.z[0]) + std::sqrt(a.z[0]), 0.0, 1e-10);
  }
}

TEST(JosephyNewton, AStartOutsideTheDomainIsMoved) {
  const Problem inside = ncp(2, [](const ExprVector& z) {  // F = -inf at 0
    ExprVector f(2);
    f << log(z[0]) + z[1] - 2.0, z[1] - 1.0 / z[0];
    return f;
  });
  EXPECT_EQ(solve_by_josephy(inside).status, Status::kSolved);
  const Problem root = ncp(1, [](const ExprVector& z) {  // F exists at 0, its derivative does not
    ExprVector f(1);
    f << sqrt(z[0]) - 2.0;
    return f;
  });
  const JosephyAnswer a = solve_by_josephy(root);
  ASSERT_EQ(a.status, Status::kSolved);
  EXPECT_NEAR(a.z[0], 4.0, 1e-8);
}

TEST(JosephyNewton, NowhereDefinedNamesTheRow) {
  Problem problem = ncp(3, [](const ExprVector& z) {
    ExprVector f(3);
    f << z[0], sqrt(-1.0 - z[1] * z[1]), z[2];
    return f;
  });
  const JosephyAnswer unnamed = solve_by_josephy(problem);
  EXPECT_EQ(unnamed.status, Status::kNumericalError);
  EXPECT_NE(unnamed.message.find("F[1]"), std::string::npos) << unnamed.message;
  problem.variables = {"height", "angle", "force"};
  const JosephyAnswer named = solve_by_josephy(problem);
  EXPECT_EQ(named.status, Status::kNumericalError);
  EXPECT_NE(named.message.find("angle"), std::string::npos) << named.message;
}

TEST(JosephyNewton, CallbacksThatProduceNanAreSurvived) {
  Mcp mcp;
  mcp.lower = Vector::Zero(2);
  mcp.upper = Vector::Constant(2, kInf);
  mcp.callback = [](const Vector& z, Vector& f) {  // exists in a disc of radius 3
    f << z[0] * z[0] - 4.0, z[1] - 0.5 * z[0];
    if (z.norm() > 3.0) f.setConstant(std::nan(""));
  };
  for (const double s : {0.0, 0.1, 2.0, 50.0}) {
    const Vector start = Vector::Constant(2, s);
    const JosephyAnswer a = solve_by_josephy(problem_of(mcp), &start, 1e-8);
    if (s < 50.0) {
      ASSERT_EQ(a.status, Status::kSolved) << s;
      EXPECT_NEAR(a.z[0], 2.0, 1e-6);
    } else {  // out of reach of the points that are tried: solved or honest
      EXPECT_TRUE(a.status == Status::kSolved || a.status == Status::kNumericalError);
    }
  }
}

TEST(JosephyNewton, SingularJacobians) {
  // At the start (J = 0), at the solution (double roots), and everywhere (rank one).
  const Problem start = ncp(2, [](const ExprVector& z) {
    ExprVector f(2);
    f << z[0] * z[0] - 1.0, z[1] * z[1] - 4.0;
    return f;
  });
  const Problem solution = ncp(2, [](const ExprVector& z) {
    ExprVector f(2);
    f << (z[0] - 1.0) * (z[0] - 1.0), (z[1] - z[0]) * (z[1] - z[0]);
    return f;
  });
  const Problem everywhere = ncp(2, [](const ExprVector& z) {
    const Expr s = exp(z[0] + z[1]) - 3.0;
    ExprVector f(2);
    f << s, 2.0 * s;
    return f;
  });
  EXPECT_EQ(solve_by_josephy(start).status, Status::kSolved);
  const Vector away = vector({2, 3});
  EXPECT_EQ(solve_by_josephy(solution, &away).status, Status::kSolved);
  EXPECT_EQ(solve_by_josephy(everywhere).status, Status::kSolved);
}

TEST(JosephyNewton, AMinimumThatIsNoSolutionNamesItsRows) {
  Problem problem = billups();
  problem.variables = {"lone"};
  const JosephyAnswer stuck = solve_by_josephy(problem, nullptr, 1e-8);
  EXPECT_EQ(stuck.status, Status::kStationary);
  EXPECT_NE(stuck.message.find("lone"), std::string::npos) << stuck.message;
  const Vector beyond = vector({2});
  const JosephyAnswer found = solve_by_josephy(problem, &beyond);
  ASSERT_EQ(found.status, Status::kSolved);
  EXPECT_NEAR(found.z[0], 1.0 + std::sqrt(1.01), 1e-8);
}

// Far from the solution exp(z'z) makes squares of the gradient infinite, and the Cauchy step with
// them. Each of these solves ends.
TEST(JosephyNewton, OverflowEndsASearch) {
  const Problem problem =
      generate(find_family("mcp-classics"), 0, 1, {}, "watson-exponential-zeros");
  Random random(7);
  int solved = 0;
  for (int k = 0; k < 20; ++k) {
    Vector start(problem.size());
    for (double& x : start) x = random.uniform(0, 10);
    const Status status = solve_by_josephy(problem, &start, 1e-8).status;
    EXPECT_TRUE(status == Status::kSolved || status == Status::kIterationLimit) << k;
    solved += status == Status::kSolved;
  }
  EXPECT_GE(solved, 11);
}

TEST(JosephyNewton, MonotonePlantedProblemsAreSolvedAtOnce) {
  Random random(2);
  for (int k = 0; k < 60; ++k) {
    const PlantedBox p = planted_box(random, 3 + k / 2, true);
    const JosephyAnswer a = solve_by_josephy(p.problem);
    ASSERT_EQ(a.status, Status::kSolved) << k;
    EXPECT_LT((a.z - p.solution).norm(), 1e-7) << k;  // strongly monotone: the only one
    EXPECT_LE(a.iterations, 12) << k;
  }
}

TEST(JosephyNewton, PlantedProblemsThatAreNotMonotone) {
  Random random(3);
  int solved = 0, by_newton_fb = 0;
  for (int k = 0; k < 60; ++k) {
    const PlantedBox p = planted_box(random, 3 + k % 13, false);
    solved += solve_by_josephy(p.problem).status == Status::kSolved;
    NewtonFb other;
    other.limits.tolerance = 1e-10;
    other.prepare(p.problem);
    by_newton_fb += other.solve().status == Status::kSolved;
  }
  EXPECT_GE(solved, 56);
  EXPECT_GE(solved, by_newton_fb);
}

TEST(JosephyNewton, SparseSystemsGiveTheSameAnswer) {
  Random random(4);
  const PlantedBox p = planted_box(random, 160, true, 0.01);
  JosephyNewtonSettings dense, sparse;
  dense.linear_algebra = "dense";
  sparse.linear_algebra = "sparse";
  const JosephyAnswer a = solve_by_josephy(p.problem, nullptr, 1e-10, dense);
  const JosephyAnswer b = solve_by_josephy(p.problem, nullptr, 1e-10, sparse);
  ASSERT_EQ(a.status, Status::kSolved);
  ASSERT_EQ(b.status, Status::kSolved);
  EXPECT_EQ(a.sparse, 0);
  EXPECT_EQ(b.sparse, 1);
  EXPECT_LT((a.z - b.z).norm(), 1e-8);
  // A path of pivots from the start, too.
  sparse.set_rounds = 1;
  sparse.crash_iterations = 0;
  EXPECT_EQ(solve_by_josephy(p.problem, nullptr, 1e-10, sparse).status, Status::kSolved);
}

TEST(JosephyNewton, LinearProblemsAgreeWithEnumeration) {
  Random random(5);
  int solvable = 0, missed = 0, lemke = 0;
  for (int k = 0; k < 400; ++k) {
    const Problem problem = problem_of(random_box_problem(random));
    Enumerate all;
    all.prepare(problem);
    const bool has_solution = all.solve().status == Status::kSolved;
    const bool found = solve_by_josephy(problem, nullptr, 1e-8).status == Status::kSolved;
    Lemke path;
    path.limits.tolerance = 1e-8;
    path.prepare(problem);
    lemke += path.solve().status == Status::kSolved;
    solvable += has_solution;
    missed += has_solution && !found;
  }
  EXPECT_LE(missed, solvable * 3 / 100);
  EXPECT_GE(solvable - missed, lemke);
}

TEST(JosephyNewton, PositiveDefiniteLcpsTakeOneStep) {
  Random random(6);
  for (int k = 0; k < 20; ++k) {
    const DenseMatrix a = gaussian(random, 30, 30);
    const Lcp lcp{DenseMatrix(a * a.transpose() + DenseMatrix::Identity(30, 30)),
                  Vector(gaussian(random, 30, 1))};
    JosephyNewtonSettings no_crash;
    no_crash.crash_iterations = 0;
    const JosephyAnswer answer = solve_by_josephy(problem_of(lcp), nullptr, 1e-10, no_crash);
    ASSERT_EQ(answer.status, Status::kSolved);
    EXPECT_LE(answer.iterations, 1);
    EXPECT_LT((answer.z - solve_by_lemke(problem_of(lcp)).z).norm(), 1e-8);
  }
}

TEST(JosephyNewton, BothSortsOfPathsSolveLinearisations) {
  Random random(7);
  JosephyNewtonSettings pivots;
  pivots.set_rounds = 1;
  pivots.crash_iterations = 0;
  for (const char* path : {"far", "point"}) {
    pivots.path = path;
    for (int k = 0; k < 20; ++k) {
      const PlantedBox p = planted_box(random, 20, true);
      EXPECT_EQ(solve_by_josephy(p.problem, nullptr, 1e-10, pivots).status, Status::kSolved)
          << path;
    }
  }
}

TEST(JosephyNewton, TightTolerancesAreReached) {
  Random random(8);
  for (int k = 0; k < 20; ++k) {
    const PlantedBox p = planted_box(random, 8, true);
    EXPECT_EQ(solve_by_josephy(p.problem, nullptr, 1e-12).status, Status::kSolved);
  }
}

TEST(JosephyNewton, AStartThatSolvesIsLeftAlone) {
  const Vector solution = vector({1, 0, 3, 0});
  const JosephyAnswer a = solve_by_josephy(kojima_shindo(), &solution);
  EXPECT_EQ(a.iterations, 0);
  EXPECT_EQ(a.evaluations, 2);  // there, and with its rows at their bounds
  EXPECT_EQ(a.z, solution);
}

TEST(JosephyNewton, LimitsAndInterruption) {
  JosephyNewton solver;
  solver.limits.tolerance = 1e-10;
  solver.prepare(josephy());
  IterationRecords steps;
  steps.stop_after = 2;
  EXPECT_EQ(solver.solve(nullptr, &steps).status, Status::kInterrupted);
  EXPECT_EQ(steps.records.size(), 2U);
  EXPECT_EQ(steps.records[0].step_type, "start");
  EXPECT_GE(steps.records[1].pivots, 0);
  solver.limits.max_iterations = 1;
  EXPECT_EQ(solver.solve().status, Status::kIterationLimit);
  solver.limits.max_iterations = 0;
  solver.limits.time_limit = 1e-12;
  EXPECT_EQ(solver.solve().status, Status::kTimeLimit);
}

TEST(JosephyNewton, SettingsAreChecked) {
  for (const auto& [name, value] :
       {std::pair{"path", "bent"}, std::pair{"memory", "0"}, std::pair{"function", "min"},
        std::pair{"lambda", "0"}, std::pair{"least_squares", "often"},
        std::pair{"linear_algebra", "thin"}, std::pair{"proximal", "0"}}) {
    JosephyNewton solver;
    EXPECT_THROW(set_setting(solver, name, value), std::invalid_argument) << name;
  }
}

TEST(JosephyNewton, TheSameSolveGivesTheSameBits) {
  Random random(9);
  const PlantedBox p = planted_box(random, 15, false);
  JosephyNewton solver;
  solver.prepare(p.problem);
  const Vector first = solver.solve().z;
  EXPECT_EQ(first, solver.solve().z);
  EXPECT_EQ(first, solve_by_josephy(p.problem, nullptr, 1e-8).z);
}

TEST(CanonicalProblem, ValuesAreThoseOfABuildAnew) {
  Random random(10);
  for (int k = 0; k < 50; ++k) {
    Mlcp p = random_box_problem(random);
    for (int i = 0; i < p.size(); ++i) {
      if (std::isinf(p.lower[i]) && std::isinf(p.upper[i])) p.lower[i] = -1;  // no free ones
    }
    CanonicalProblem built, refilled;
    refilled.build_pairs(p);
    p.M = DenseMatrix(gaussian(random, p.size(), p.size()));
    p.q = gaussian(random, p.size(), 1);
    built.build(p, true);
    refilled.set_values(p, true);
    ASSERT_EQ(built.size(), refilled.size());
    EXPECT_EQ(built.q, refilled.q);
    EXPECT_EQ(built.range, refilled.range);
    Vector a = Vector::Zero(built.size()), b = a;
    for (int j = 0; j < built.size(); ++j) {
      built.M.add_column(j, 1.0 + j, a.data());
      refilled.M.add_column(j, 1.0 + j, b.data());
    }
    EXPECT_EQ(a, b);
  }
}

TEST(Router, AutoTakesNonlinearProblems) {
  SolveRequest request;
  request.limits.tolerance = 1e-10;
  const VerifiedResult r = solve_verified(kojima_shindo(), request);
  EXPECT_EQ(r.status, Status::kSolved);
  ASSERT_EQ(r.route.size(), 1U);
  EXPECT_EQ(r.route[0].solver.str(), "newton-fb");
  // A setting goes to every method that has one of its name.
  request.settings = {{"memory", "3"}};
  const VerifiedResult second = solve_verified(kojima_shindo(), request);
  EXPECT_EQ(second.status, Status::kSolved);
  EXPECT_NE(second.route.at(0).settings.str().find("memory=3"), std::string::npos);
  request.settings.clear();
  // No solution: the whole list is tried, and every try is told.
  const Problem none = ncp(1, [](const ExprVector& z) {
    ExprVector f(1);
    f << -1.0 - z[0];
    return f;
  });
  const VerifiedResult failed = solve_verified(none, request);
  EXPECT_NE(failed.status, Status::kSolved);
  EXPECT_GT(failed.route.size(), 4U);
}

}  // namespace
}  // namespace perp::test
