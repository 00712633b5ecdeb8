// The semismooth Newton solver on nonlinear problems: classics, bounds of every sort, singular
// Jacobians, functions that do not exist everywhere, planted solutions, what it counts and names.
#include "support.hpp"

#include <perp/problems/expression/expr.hpp>
#include <perp/solvers/router.hpp>
#include <perp/solvers/semismooth_newton/newton_fb.hpp>

#include <functional>

namespace perp::test {
namespace {

struct McpAnswer {
  Status status;
  Vector z;
  std::string message;
  double least_squares_steps, undefined_points, sparse;
};

// Solves and asserts that claim and verifier agree.
McpAnswer solve_by_newton(const Problem& problem, const Vector& start, double tolerance = 1e-12,
                          const NewtonFbSettings& settings = {}) {
  NewtonFb solver;
  solver.settings = settings;
  solver.limits.tolerance = tolerance;
  solver.prepare(problem);
  const Result& r = solver.solve(start.size() > 0 ? &start : nullptr);
  EXPECT_EQ(r.status == Status::kSolved, verify(problem, {r.z, {}}, tolerance).solved)
      << problem.name << " " << to_string(r.status);
  return {r.status,
          r.z,
          r.message,
          statistic(r, "least_squares_steps"),
          statistic(r, "undefined_points"),
          statistic(r, "sparse")};
}

McpAnswer solve_by_newton(const Problem& problem, double tolerance = 1e-12) {
  return solve_by_newton(problem, Vector(), tolerance);
}

Problem record(const Vector& lower, const Vector& upper,
               const std::function<ExprVector(const ExprVector&)>& f) {
  Recorder recorder;
  Mcp mcp;
  mcp.graph = std::make_shared<ExpressionGraph>(
      recorder.graph(f(recorder.variables(static_cast<int>(lower.size())))));
  mcp.lower = lower;
  mcp.upper = upper;
  return problem_of(mcp);
}

Problem record_free(int n, const std::function<ExprVector(const ExprVector&)>& f) {
  return record(Vector::Constant(n, -kInf), Vector::Constant(n, kInf), f);
}

Problem record_nonnegative(int n, const std::function<ExprVector(const ExprVector&)>& f) {
  return record(Vector::Zero(n), Vector::Constant(n, kInf), f);
}

// Four quadratics with a degenerate solution (sqrt(6)/2, 0, 0, 1/2) and, for Kojima and Shindo's
// numbers (10, 9, -9), another one: (1, 0, 3, 0); Josephy's are (3, 3, -1).
Problem four_quadratics(double a, double b, double c) {
  return record_nonnegative(4, [=](const ExprVector& z) {
    return ExprVector{
        {3.0 * z[0] * z[0] + 2.0 * z[0] * z[1] + 2.0 * z[1] * z[1] + z[2] + 3.0 * z[3] - 6.0,
         2.0 * z[0] * z[0] + z[0] + z[1] * z[1] + a * z[2] + 2.0 * z[3] - 2.0,
         3.0 * z[0] * z[0] + z[0] * z[1] + 2.0 * z[1] * z[1] + 2.0 * z[2] + b * z[3] + c,
         z[0] * z[0] + 3.0 * z[1] * z[1] + 2.0 * z[2] + 3.0 * z[3] - 3.0}};
  });
}

Vector uniform(Random& random, int n, double low, double high) {
  Vector z(n);
  for (double& x : z) x = random.uniform(low, high);
  return z;
}

TEST(NewtonFbMcp, KojimaShindoFromManyStarts) {
  const Problem p = four_quadratics(10, 9, -9);
  const Vector first = vector({std::sqrt(6.0) / 2, 0, 0, 0.5}), second = vector({1, 0, 3, 0});
  Random random(1);
  int near = 0, far = 0;
  for (int k = 0; k < 100; ++k) {
    const McpAnswer s = solve_by_newton(p, uniform(random, 4, 0, 5));
    if (s.status != Status::kSolved) continue;
    ++near;
    EXPECT_LT(std::min((s.z - first).norm(), (s.z - second).norm()), 1e-6) << k;
  }
  EXPECT_GE(near, 97);  // no more failures than others have
  for (int k = 0; k < 100; ++k)
    far += solve_by_newton(p, uniform(random, 4, 0, 100)).status == Status::kSolved;
  EXPECT_GE(far, 87);
  EXPECT_EQ(solve_by_newton(p, vector({0, 0, 0, 1})).status, Status::kSolved);
}

TEST(NewtonFbMcp, Josephy) {
  const Problem p = four_quadratics(3, 3, -1);
  Random random(2);
  for (int k = 0; k < 100; ++k) {
    const McpAnswer s = solve_by_newton(p, uniform(random, 4, 0, 10));
    ASSERT_EQ(s.status, Status::kSolved) << k;
    EXPECT_LT((s.z - vector({std::sqrt(6.0) / 2, 0, 0, 0.5})).norm(), 1e-10) << k;
  }
}

// A Walrasian equilibrium; its solutions form a set.
TEST(NewtonFbMcp, Mathiesen) {
  const Problem p = record_nonnegative(4, [](const ExprVector& z) {
    return ExprVector{{-z[1] + z[2] + z[3], z[0] - (4.5 * z[2] + 2.7 * z[3]) / (z[1] + 1.0),
                       5.0 - z[0] - (0.5 * z[2] + 0.3 * z[3]) / (z[2] + 1.0), 3.0 - z[0]}};
  });
  Random random(3);
  for (int k = 0; k < 100; ++k) {
    EXPECT_EQ(solve_by_newton(p, uniform(random, 4, 0, 10)).status, Status::kSolved) << k;
  }
}

// (z - 1)^2 - 1.01: the merit has a minimum near 1 - sqrt(1.01) < 0, where semismooth methods end.
// The message tells it; from the other side of 1 the solution is found.
TEST(NewtonFbMcp, BillupsTrap) {
  Problem p = record_nonnegative(
      1, [](const ExprVector& z) { return ExprVector{{(z[0] - 1.0) * (z[0] - 1.0) - 1.01}}; });
  p.variables = {"lone"};
  const McpAnswer trapped = solve_by_newton(p, vector({0}));
  EXPECT_TRUE(trapped.status == Status::kStationary || trapped.status == Status::kStalled);
  EXPECT_FALSE(trapped.message.empty());
  Random random(4);
  for (int k = 0; k < 50; ++k) {
    const McpAnswer s = solve_by_newton(p, uniform(random, 1, 1.5, 10));
    ASSERT_EQ(s.status, Status::kSolved) << k;
    EXPECT_NEAR(s.z[0], 1 + std::sqrt(1.01), 1e-11);
  }
}

// exp(z) - c over bounds of every sort: the middle one of l, log c and u.
TEST(NewtonFbMcp, BoundsOfEverySort) {
  Random random(5);
  const int n = 60;
  Vector lower(n), upper(n), c(n), expected(n);
  for (int i = 0; i < n; ++i) {
    const double a = random.uniform(-2, 2);
    lower[i] = i % 5 < 2 ? a : i % 5 == 4 ? a : -kInf;
    upper[i] = i % 5 == 1 ? a + random.uniform() : i % 5 == 2 ? a : i % 5 == 4 ? a : kInf;
    c[i] = std::exp(random.uniform(-3, 3));
    expected[i] = std::min(std::max(lower[i], std::log(c[i])), upper[i]);
  }
  const Problem p = record(lower, upper, [&](const ExprVector& z) {
    ExprVector f(n);
    for (int i = 0; i < n; ++i) f[i] = exp(z[i]) - c[i];
    return f;
  });
  for (int k = 0; k < 20; ++k) {
    const McpAnswer s = solve_by_newton(p, k == 0 ? Vector() : uniform(random, n, -5, 5));
    ASSERT_EQ(s.status, Status::kSolved) << k;
    // |exp(z) - c| <= 1e-12 and c >= exp(-3).
    EXPECT_LT((s.z - expected).lpNorm<Eigen::Infinity>(), 1.01e-12 * std::exp(3)) << k;
  }
}

// F = a g(a'z): the Jacobian has rank 1 everywhere, and the solutions fill a simplex.
TEST(NewtonFbMcp, JacobianOfRankOne) {
  Random random(6);
  const int n = 12;
  const Vector a = uniform(random, n, 0.2, 1.0);
  const auto f = [&](const ExprVector& z) {
    Expr t = 0.0;
    for (int i = 0; i < n; ++i) t += a[i] * z[i];
    ExprVector out(n);
    for (int i = 0; i < n; ++i) out[i] = a[i] * (t * t * t + t - 2.0);
    return out;
  };
  for (int k = 0; k < 20; ++k) {
    const Vector start = uniform(random, n, 0, 3);
    const McpAnswer nonnegative = solve_by_newton(record_nonnegative(n, f), start);
    ASSERT_EQ(nonnegative.status, Status::kSolved);
    EXPECT_NEAR(a.dot(nonnegative.z), 1.0, 1e-10);
    EXPECT_EQ(solve_by_newton(record_free(n, f), start).status, Status::kSolved);
  }
}

// A root of order three, where Newton's method is only linear.
TEST(NewtonFbMcp, SingularJacobianAtTheSolution) {
  const Problem p = record_free(2, [](const ExprVector& z) {
    const Expr t = z[0] - 1.0;
    return ExprVector{{t * t * t, z[1] - z[0] * z[0]}};
  });
  const McpAnswer s = solve_by_newton(p, vector({3, -2}), 1e-11);
  ASSERT_EQ(s.status, Status::kSolved);
  EXPECT_NEAR(s.z[1], 1.0, 1e-3);
}

// exp(x) = 1 and exp(x) = 2 by two free unknowns of which one does not occur.
TEST(NewtonFbMcp, NamesTheDependentRowsOfAStationaryPoint) {
  Problem p = record_free(3, [](const ExprVector& z) {
    return ExprVector{{exp(z[0]) - 1.0, exp(z[0]) - 2.0, exp(z[2]) - 5.0}};
  });
  p.variables = {"first", "second", "third"};
  NewtonFbSettings settings;
  settings.patience = 100;  // the merit falls slowly
  const McpAnswer s = solve_by_newton(p, Vector(), 1e-12, settings);
  EXPECT_EQ(s.status, Status::kStationary);
  EXPECT_NE(s.message.find("first, second"), std::string::npos) << s.message;
  EXPECT_EQ(s.message.find("third"), std::string::npos) << s.message;
}

TEST(NewtonFbMcp, NamesTheRowThatIsNotFinite) {
  Problem p = record_nonnegative(3, [](const ExprVector& z) {
    return ExprVector{{z[0], z[1] + sqrt(-1.0 - z[0] * z[0]), z[2]}};
  });
  EXPECT_NE(solve_by_newton(p).message.find("F[1]"), std::string::npos);
  p.variables = {"first", "second", "third"};
  const McpAnswer s = solve_by_newton(p);
  EXPECT_EQ(s.status, Status::kNumericalError);
  EXPECT_NE(s.message.find("second"), std::string::npos) << s.message;
  EXPECT_TRUE(s.z.allFinite());
}

// The derivative of sqrt(z) is infinite at the start, F is not.
TEST(NewtonFbMcp, NamesTheRowWhoseJacobianIsNotFinite) {
  Problem p = record(vector({0, 0}), vector({kInf, 0}), [](const ExprVector& z) {
    return ExprVector{{z[0] - 1.3, sqrt(z[1])}};
  });
  p.variables = {"speed", "force"};
  const McpAnswer s = solve_by_newton(p);
  EXPECT_EQ(s.status, Status::kNumericalError);
  EXPECT_NE(s.message.find("force"), std::string::npos) << s.message;
}

// Full steps leave the domain of log, and so does the point 0 where a solve without start begins.
TEST(NewtonFbMcp, ShortensStepsThatLeaveTheDomain) {
  const auto f = [](const ExprVector& z) {
    return ExprVector{{log(z[0]) + 3.0 + z[1], log(z[1]) - z[0]}};
  };
  McpAnswer s = solve_by_newton(record_free(2, f), vector({50, 9}));
  EXPECT_EQ(s.status, Status::kSolved) << s.message;
  EXPECT_GT(s.undefined_points, 0);
  s = solve_by_newton(record_nonnegative(2, f));
  EXPECT_EQ(s.status, Status::kSolved) << s.message;
  EXPECT_NEAR(std::log(s.z[1]), s.z[0], 1e-11);
}

struct Planted {
  Problem problem;
  Vector z;
};

// F = (A'A + I / 10) z + exp(z) / 5 + b, monotone, with a nondegenerate solution that was chosen
// first; A is dense, or has three entries a row.
Planted planted(int n, int seed, bool sparse) {
  Random random(static_cast<std::uint64_t>(seed));
  DenseMatrix a = DenseMatrix::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    if (sparse) {
      for (const int j : {i, (i + 1) % n, random.index(n)}) a(i, j) = random.normal();
    } else {
      for (int j = 0; j < n; ++j) a(i, j) = random.normal() / std::sqrt(n);
    }
  }
  const DenseMatrix m = a.transpose() * a + 0.1 * DenseMatrix::Identity(n, n);
  Vector z = Vector::Zero(n), w = Vector::Zero(n), lower = Vector::Zero(n);
  Vector upper = Vector::Constant(n, kInf);
  for (int i = 0; i < n; ++i) {
    if (i % 3 == 1) upper[i] = 1.0;
    if (i % 7 == 3) lower[i] = -kInf;
    const int place = random.index(3);
    if (place == 1 && lower[i] == 0.0) {
      w[i] = random.uniform(0.1, 1.0);
    } else if (place == 2 && upper[i] == 1.0) {
      z[i] = 1.0;
      w[i] = -random.uniform(0.1, 1.0);
    } else {
      z[i] = random.uniform(0.1, 0.9);
    }
  }
  const Vector b = w - m * z - 0.2 * z.array().exp().matrix();
  const Problem problem = record(lower, upper, [&](const ExprVector& x) {
    ExprVector f(n);
    for (int i = 0; i < n; ++i) {
      f[i] = 0.2 * exp(x[i]) + b[i];
      for (int j = 0; j < n; ++j) {
        if (m(i, j) != 0.0) f[i] += m(i, j) * x[j];
      }
    }
    return f;
  });
  return {problem, z};
}

TEST(NewtonFbMcp, PlantedSolutionsDense) {
  for (const int n : {1, 4, 10, 30, 100}) {
    for (int seed = 1; seed <= (n < 100 ? 10 : 1); ++seed) {
      const Planted p = planted(n, seed, false);
      const McpAnswer s = solve_by_newton(p.problem);
      ASSERT_EQ(s.status, Status::kSolved) << n << " " << seed;
      EXPECT_LT((s.z - p.z).lpNorm<Eigen::Infinity>(), 1e-10) << n << " " << seed;
      EXPECT_EQ(s.sparse, 0);
    }
  }
}

TEST(NewtonFbMcp, PlantedSolutionsSparse) {
  for (const int n : {50, 300}) {
    const Planted p = planted(n, 1, true);
    for (const char* kind : {"auto", "dense", "sparse"}) {
      for (const char* least_squares : {"fallback", "always"}) {
        NewtonFbSettings settings;
        settings.linear_algebra = kind;
        settings.least_squares = least_squares;
        const McpAnswer s = solve_by_newton(p.problem, Vector(), 1e-12, settings);
        ASSERT_EQ(s.status, Status::kSolved) << n << " " << kind << " " << least_squares;
        EXPECT_LT((s.z - p.z).lpNorm<Eigen::Infinity>(), 1e-10);
      }
    }
  }
  EXPECT_EQ(solve_by_newton(planted(300, 1, true).problem).sparse, 1);
}

// Least-squares steps of large kernels go by the augmented system, whose transposed Jacobian must
// follow the iterate.
TEST(NewtonFbMcp, LargeSparseLeastSquares) {
  const int n = 900;
  Random random(8);
  const Vector c = uniform(random, n, 0.5, 2.0);
  const Problem p = record_nonnegative(n, [&](const ExprVector& z) {
    ExprVector f(n);
    for (int i = 0; i < n; ++i) {
      f[i] = exp(z[i]) - c[i] - 0.3 * z[(i + 1) % n] * z[(i + 1) % n];
    }
    return f;
  });
  NewtonFbSettings settings;
  settings.least_squares = "always";
  const McpAnswer s = solve_by_newton(p, uniform(random, n, 0, 1), 1e-12, settings);
  EXPECT_EQ(s.status, Status::kSolved);
  EXPECT_GT(s.least_squares_steps, 0);
}

// Rows and columns multiplied by powers of two from 2^-13 to 2^13; the verifier sees these rows.
TEST(NewtonFbMcp, UndoesBadScaling) {
  for (int seed = 1; seed <= 5; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const int n = 20;
    const Planted p = planted(n, seed, false);
    const Mcp& plain = std::get<Mcp>(p.problem.data);
    Vector row(n), column(n);
    for (int i = 0; i < n; ++i) {
      row[i] = std::exp2(random.index(27) - 13);
      column[i] = std::exp2(random.index(27) - 13);
    }
    const Problem scaled = record(plain.lower.cwiseQuotient(column),
                                  plain.upper.cwiseQuotient(column), [&](const ExprVector& z) {
                                    std::vector<Expr> x(n);
                                    for (int i = 0; i < n; ++i) x[i] = column[i] * z[i];
                                    const auto f = Recorder::current().call(*plain.graph, x);
                                    ExprVector out(n);
                                    for (int i = 0; i < n; ++i) out[i] = row[i] * f[i];
                                    return out;
                                  });
    const McpAnswer s = solve_by_newton(scaled, 1e-8);
    ASSERT_EQ(s.status, Status::kSolved) << seed;
    EXPECT_LT((s.z.cwiseProduct(column) - p.z).lpNorm<Eigen::Infinity>(), 1e-2) << seed;
  }
}

// The same linear problem as lcp and as mcp.
TEST(NewtonFbMcp, LinearProblemsAsNonlinearOnes) {
  for (int seed = 1; seed <= 5; ++seed) {
    const Problem p = generate(find_family("p-matrix"), 15, seed);
    const Lcp& lcp = std::get<Lcp>(p.data);
    const DenseMatrix m = lcp.M.to_dense();
    Mcp mcp;
    mcp.lower = Vector::Zero(15);
    mcp.upper = Vector::Constant(15, kInf);
    mcp.callback = [&](const Vector& z, Vector& f) { f = m * z + lcp.q; };
    const McpAnswer s = solve_by_newton(problem_of(mcp));
    ASSERT_EQ(s.status, Status::kSolved) << seed;
    EXPECT_LT((s.z - p.solution->z).lpNorm<Eigen::Infinity>(), 1e-8) << seed;
  }
}

// A callback without a Jacobian counts what is evaluated: n differences and the point itself for
// every Jacobian.
TEST(NewtonFbMcp, CountsEvaluations) {
  int calls = 0;
  Mcp mcp;
  mcp.lower = Vector::Zero(3);
  mcp.upper = Vector::Constant(3, kInf);
  mcp.callback = [&](const Vector& z, Vector& f) {
    ++calls;
    f << std::exp(z[0]) - 2.0 + z[1], z[1] * z[1] * z[1] - z[0] + z[2], z[2] - 0.5 + z[1];
  };
  NewtonFb solver;
  solver.limits.tolerance = 1e-12;
  solver.prepare(problem_of(mcp));
  for (int k = 0; k < 2; ++k) {
    calls = 0;
    const Result& r = solver.solve();
    ASSERT_EQ(r.status, Status::kSolved);
    const double f = statistic(r, "function_evaluations"), j = statistic(r, "jacobian_evaluations");
    EXPECT_GT(f, j);
    EXPECT_EQ(calls, f + 4 * j);
  }
}

TEST(NewtonFbMcp, DoesNotClaimWhatHasNoSolution) {
  const Problem p =
      record_nonnegative(1, [](const ExprVector& z) { return ExprVector{{-exp(-z[0]) - 0.1}}; });
  const McpAnswer s = solve_by_newton(p);
  EXPECT_TRUE(s.status == Status::kStationary || s.status == Status::kStalled);
  EXPECT_FALSE(s.message.empty());
}

TEST(NewtonFbMcp, SameBuildSameBits) {
  const Problem p = four_quadratics(10, 9, -9);
  const Vector start = vector({90, 80, 10, 70});
  EXPECT_EQ(solve_by_newton(p, start).z, solve_by_newton(p, start).z);
  NewtonFb solver;
  solver.prepare(p);
  const Vector once = solver.solve(&start).z;
  solver.solve();
  EXPECT_EQ(solver.solve(&start).z, once);
}

// x^2 + y^2 = 1 and 1e-4 (y - 0.8) = 0: from (1, 0), which nearly solves this, a full step leads to
// (1, 0.8), far off the circle, and the next ones to (0.6, 0.8).
TEST(NewtonFbMcp, WatchdogGoesFarAlongACurveOfNearSolutions) {
  const Problem problem = record_free(2, [](const ExprVector& z) {
    ExprVector f(2);
    f << z[0] * z[0] + z[1] * z[1] - 1.0, 1e-4 * (z[1] - 0.8);
    return f;
  });
  const auto iterations = [&](int watchdog) {
    NewtonFb solver;
    solver.settings.watchdog = watchdog;
    solver.settings.equilibrate = "never";
    solver.settings.finish = false;
    solver.settings.patience = 1000;
    solver.limits.tolerance = 1e-10;
    solver.limits.max_iterations = 1000;
    solver.prepare(problem);
    const Vector start{{1.0, 0.0}};
    const Result& r = solver.solve(&start);
    EXPECT_EQ(r.status, Status::kSolved);
    EXPECT_NEAR(r.z[0], 0.6, 1e-5);
    EXPECT_NEAR(r.z[1], 0.8, 1e-5);
    return r.iterations;
  };
  EXPECT_LT(iterations(5), 15);
  EXPECT_GT(iterations(0), 2 * iterations(5));
}

// F_0 = 1/z_0 is all but 0 far from its pole, where it changes its sign: no answer, and no minimum
// of the merit function, since none was ever noted.
TEST(NewtonFbMcp, AMeritThatWasNeverFoundHasNoMinimum) {
  Mcp p;
  p.lower = vector({0, -kInf});
  p.upper = vector({kInf, kInf});
  p.callback = [](const Vector& z, Vector& f) { f = vector({1 / z[0], z[1] - 1}); };
  p.pattern = SparseMatrix(DenseMatrix::Identity(2, 2).sparseView());
  p.jacobian = [](const Vector& z, double* values) {
    values[0] = -1 / (z[0] * z[0]);
    values[1] = 1;
  };
  for (const char* solver : {"newton-fb", "josephy-newton"}) {
    SolveRequest request;
    request.solver = solver;
    request.start = vector({1e-9, 1});
    const VerifiedResult r = solve_verified(problem_of(p), request);
    EXPECT_NE(r.claimed, Status::kStationary) << solver << ": " << r.message;
  }
}

}  // namespace
}  // namespace perp::test
