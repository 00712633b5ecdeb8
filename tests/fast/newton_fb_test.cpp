// The semismooth Newton solver: its functions and systems, its order, its ends, agreement with
// enumeration.
#include "support.hpp"

#include <perp/bench/data/data_files.hpp>
#include <perp/problems/io/problem_file.hpp>
#include <perp/solvers/enumeration/enumerate.hpp>
#include <perp/solvers/router.hpp>
#include <perp/solvers/semismooth_newton/newton_fb.hpp>

#include <filesystem>
#include <map>

namespace perp::test {
namespace {

struct FbAnswer {
  Status status;
  Vector z;
  int iterations;
  std::string message;
};

// Solves and asserts that claim and verifier agree.
FbAnswer solve_by_newton_fb(const Problem& problem, double tolerance = 1e-10,
                            const NewtonFbSettings& settings = {}, const Vector* start = nullptr) {
  NewtonFb solver;
  solver.settings = settings;
  solver.limits.tolerance = tolerance;
  solver.prepare(problem);
  const Result& r = solver.solve(start);
  EXPECT_EQ(r.status == Status::kSolved, verify(problem, {r.z, {}}, tolerance).solved)
      << problem.name << " " << to_string(r.status);
  return {r.status, r.z, r.iterations, r.message};
}

bool by_further_tries(const Problem& problem) {
  SolveRequest request;
  request.solver =
      "first(newton-fb:function=penalised:inside=always, repeat(20, "
      "try(newton-fb:patience=60:least_squares=always, from=random:{k})))";
  request.limits.tolerance = 1e-9;
  return solve_verified(problem, request).status == Status::kSolved;
}

const std::vector<ComplementarityFunction> kFunctions = {{NcpFunction::kFischerBurmeister, 0.9},
                                                         {NcpFunction::kPenalised, 0.7},
                                                         {NcpFunction::kMin, 0.9}};

TEST(ComplementarityFunction, VanishesExactlyAtSolutionsOfTheRow) {
  const double bounds[][2] = {{0, kInf}, {-kInf, 2}, {-1, 2}, {-kInf, kInf}, {1, 1}};
  for (const ComplementarityFunction& function : kFunctions) {
    for (const auto& [lower, upper] : bounds) {
      for (double z = -3; z <= 3; z += 0.5) {
        for (double f = -2; f <= 2; f += 0.5) {
          const double natural = mid(z - lower, z - upper, f);
          const double value = evaluate_row(function, z, f, lower, upper).value;
          EXPECT_EQ(natural == 0, std::abs(value) < 1e-15)
              << z << " " << f << " in " << lower << ", " << upper;
        }
      }
    }
  }
}

TEST(ComplementarityFunction, DerivativesAgreeWithDifferences) {
  Random random(1);
  const double bounds[][2] = {{0, kInf}, {-kInf, 2}, {-1, 2}, {-kInf, kInf}, {1, 1}};
  for (const ComplementarityFunction& function : kFunctions) {
    for (int k = 0; k < 2000; ++k) {
      const auto& [l, u] = bounds[k % 5];
      const double z = 2 * random.normal(), f = 2 * random.normal(), h = 1e-6;
      const ComplementarityRow row = evaluate_row(function, z, f, l, u);
      const auto value = [&, lower = l, upper = u](double dz, double df) {
        return evaluate_value(function, z + dz, f + df, lower, upper);
      };
      // Not across a kink.
      const double here = value(0, 0), bend = value(h, h) + value(-h, -h) - 2 * here;
      if (std::abs(bend) > 1e-9 || std::abs(value(h, -h) + value(-h, h) - 2 * here) > 1e-9)
        continue;
      EXPECT_NEAR(row.dz, (value(h, 0) - value(-h, 0)) / (2 * h), 1e-5) << z << " " << f;
      EXPECT_NEAR(row.df, (value(0, h) - value(0, -h)) / (2 * h), 1e-5) << z << " " << f;
    }
  }
}

TEST(ComplementarityFunction, AFarBoundHasNoPartInARow) {
  Random random(2);
  for (const double far : {1e9, 1e12, 1e18, 1e100, 1e155, 1e300}) {
    for (int k = 0; k < 200; ++k) {
      const double z = 2 * random.normal(), f = 2 * random.normal();
      const ComplementarityRow with = evaluate_row({}, z, f, 0, far);
      const ComplementarityRow without = evaluate_row({}, z, f, 0, kInf);
      const double share = 1e-15 + 100 / far;
      EXPECT_NEAR(with.value, without.value, share * std::abs(without.value)) << far;
      EXPECT_NEAR(with.dz, without.dz, share) << far;
      EXPECT_NEAR(with.df, without.df, share) << far;
    }
  }
}

TEST(ComplementarityFunction, KinksGiveAnElementOfTheGeneralisedGradient) {
  const ComplementarityRow row = evaluate_row({}, 0, 0, 0, kInf);
  // (1 - dz, 1 - df) lies on the unit circle.
  EXPECT_NEAR(std::hypot(1 - row.dz, 1 - row.df), 1.0, 1e-15);
  EXPECT_EQ(row.value, 0.0);
}

// Dense and sparse; the kernel smaller than the whole; least squares against the normal equations.
TEST(NewtonSystem, SolvesBothKindsOfSystems) {
  for (const bool sparse : {false, true}) {
    Random random(3);
    const int n = 70;
    const DenseMatrix m = gaussian(random, n, n);
    const Mlcp p{m, gaussian(random, n, 1), Vector::Zero(n), Vector::Constant(n, kInf)};
    BoxProblem box;
    BoxProblem::Options options;
    options.storage = sparse ? SystemStorage::kSparse : SystemStorage::kDense;
    box.build(problem_of(p), options, Deadline());
    NewtonSystem system;
    system.attach(box.matrix());
    Vector a(n), b(n), d(n);
    for (int i = 0; i < n; ++i) {
      a[i] = random.uniform(0.1, 1.0);
      b[i] = i % 3 == 0 ? 0.0 : random.uniform();
    }
    const Vector r = gaussian(random, n, 1);
    const DenseMatrix shifted = m + 1e-2 * DenseMatrix::Identity(n, n);
    ASSERT_TRUE(system.factor(a, b, 1e-2));
    EXPECT_EQ(system.kernel_size(), n - (n + 2) / 3);
    system.solve(r, d);
    const Vector left = a.cwiseProduct(d) + b.cwiseProduct(shifted * d);
    EXPECT_LT((left - r).norm(), 1e-10);
    b = b.cwiseMax(0.05);
    ASSERT_TRUE(system.factor_least_squares(a, b, 0.3));
    system.solve_least_squares(r, d);
    DenseMatrix j = b.asDiagonal() * m;
    j.diagonal() += a;
    EXPECT_LT((j.transpose() * (j * d - r) + 0.3 * d).norm(), 1e-9);
    Vector y(n);
    system.multiply_transposed(a, b, r, y);
    EXPECT_LT((j.transpose() * r - y).norm(), 1e-12);
  }
}

TEST(NewtonFb, ConvergesQuadraticallyAtANondegenerateSolution) {
  Random random(5);
  const int n = 30;
  const DenseMatrix a = gaussian(random, n, n);
  const DenseMatrix m = a * a.transpose() / n + DenseMatrix::Identity(n, n);
  Vector z = Vector::Zero(n), w = Vector::Zero(n);
  for (int i = 0; i < n; ++i) (i % 2 ? z : w)[i] = random.uniform(0.5, 1.0);
  NewtonFb solver;
  solver.settings.finish = false;  // Newton's own order
  solver.settings.proximal = solver.settings.proximal_factor = 0.0;
  solver.limits.tolerance = 1e-13;
  solver.prepare(problem_of(Lcp{m, w - m * z}));
  IterationRecords recorder;
  ASSERT_EQ(solver.solve(nullptr, &recorder).status, Status::kSolved);
  int quadratic = 0;
  for (std::size_t k = 1; k < recorder.records.size(); ++k) {
    const double before = recorder.records[k - 1].residual, after = recorder.records[k].residual;
    if (before > 0.1 || before < 1e-7) continue;
    EXPECT_LT(after, 10 * before * before);
    ++quadratic;
  }
  EXPECT_GE(quadratic, 2);
}

TEST(NewtonFb, AllFunctionsGiveTheOneSolutionOfAPMatrix) {
  for (int seed = 1; seed <= 10; ++seed) {
    const Problem p = generate(find_family("p-matrix"), 40, seed);
    for (const char* function : {"fb", "penalised", "min"}) {
      NewtonFbSettings settings;
      settings.function = function;
      const FbAnswer s = solve_by_newton_fb(p, 1e-10, settings);
      EXPECT_EQ(s.status, Status::kSolved) << function << " " << seed;
      EXPECT_LT((s.z - p.solution->z).cwiseAbs().maxCoeff(), 1e-8) << function << " " << seed;
    }
  }
}

TEST(NewtonFb, SolvesTheLiterature) {
  int solved = 0;
  for (const char* folder : {"siconos/lcp", "siconos/mlcp", "degenerate"}) {
    for (const auto& e :
         std::filesystem::directory_iterator(data_root() / "problems/collections" / folder)) {
      if (e.path().extension() == ".md") continue;
      const bool is = solve_by_newton_fb(read_problem(e.path().string())).status == Status::kSolved;
      EXPECT_TRUE(is || e.path().stem() == "Buck2_mlcp") << e.path();  // that takes another start
      solved += is;
    }
  }
  EXPECT_EQ(solved, 26);
}

TEST(NewtonFb, SolvesContactProblemsWithSingularMatrices) {
  for (const char* family : {"contact-stack", "contact-pile"}) {
    for (int seed = 1; seed <= 5; ++seed) {
      const Problem p = generate(find_family(family), 20, seed);
      const FbAnswer s = solve_by_newton_fb(p);
      EXPECT_EQ(s.status, Status::kSolved) << p.name;
      EXPECT_LE(s.iterations, 60) << p.name;
    }
  }
}

TEST(NewtonFb, DenseAndSparseSystemsBothSolve) {
  const Problem p = generate(find_family("contact-stack"), 20, 3);
  for (const char* kind : {"dense", "sparse"}) {
    for (const char* least_squares : {"fallback", "always"}) {
      NewtonFbSettings settings;
      settings.linear_algebra = kind;
      settings.least_squares = least_squares;
      EXPECT_EQ(solve_by_newton_fb(p, 1e-8, settings).status, Status::kSolved)
          << kind << " " << least_squares;
    }
  }
}

// Newton's method from inside does not feel the mesh: rings of the free set need not be walked.
TEST(NewtonFb, ObstacleProblemsTakeFewSteps) {
  for (const int grid : {20, 40, 60}) {
    const FbAnswer s = solve_by_newton_fb(generate(find_family("obstacle"), grid, 1));
    EXPECT_EQ(s.status, Status::kSolved);
    EXPECT_LE(s.iterations, 8);
  }
}

TEST(NewtonFb, UndoesBadScaling) {
  for (int seed = 1; seed <= 5; ++seed) {
    Random random(seed);
    Problem p = generate(find_family("psd"), 20, seed);
    Lcp& lcp = std::get<Lcp>(p.data);
    Vector row(20), column(20);
    for (int i = 0; i < 20; ++i) {
      row[i] = std::exp2(random.index(27) - 13);
      column[i] = std::exp2(random.index(27) - 13);
    }
    lcp.M = Matrix(DenseMatrix(row.asDiagonal() * lcp.M.to_dense() * column.asDiagonal()));
    lcp.q = row.cwiseProduct(lcp.q);
    EXPECT_EQ(solve_by_newton_fb(p, 1e-8).status, Status::kSolved) << seed;
  }
}

TEST(NewtonFb, BoundsOnBothSidesFreeAndFixed) {
  const Mlcp p{matrix(4, 4, {2, 1, 0, 0, 1, 2, 0, 0, 0, 0, 1, 1, 0, 1, 0, 1}),
               vector({-9, 5, -1, 0}), vector({-1, -1, -kInf, 3}), vector({1, 1, kInf, 3})};
  const FbAnswer s = solve_by_newton_fb(problem_of(p), 1e-14);
  ASSERT_EQ(s.status, Status::kSolved);
  EXPECT_EQ(s.z[0], 1.0);
  EXPECT_EQ(s.z[1], -1.0);
  EXPECT_NEAR(s.z[2], -2.0, 1e-14);
  EXPECT_EQ(s.z[3], 3.0);
}

// A nonmonotone search alone jumps to and fro between a few points in every fourth of these.
TEST(NewtonFb, StronglyMonotoneProblemsInABoxAreSolved) {
  Random random(12);
  for (int k = 0; k < 400; ++k) {
    const int n = 8;
    const DenseMatrix a = gaussian(random, n, n);
    const double side = std::exp(random.uniform(-1.0, 1.0));
    const Problem p =
        problem_of(Mlcp{Matrix(DenseMatrix(a * a.transpose() + DenseMatrix::Identity(n, n))),
                        3.0 * gaussian(random, n, 1), Vector::Zero(n), Vector::Constant(n, side)});
    EXPECT_EQ(solve_by_newton_fb(p, 1e-10).status, Status::kSolved) << k;
  }
}

TEST(NewtonFb, TrivialEmptyAndSolvedProblems) {
  EXPECT_EQ(solve_by_newton_fb(problem_of(Lcp{DenseMatrix(0, 0), Vector(0)})).status,
            Status::kSolved);
  EXPECT_EQ(solve_by_newton_fb(problem_of(Lcp{matrix(1, 1, {0}), vector({0})})).status,
            Status::kSolved);
  const Problem p = generate(find_family("psd"), 20, 1);
  const Vector z = solve_by_newton_fb(p).z;
  EXPECT_EQ(solve_by_newton_fb(p, 1e-10, {}, &z).iterations, 0);
}

// min(z, F) with F = -1 whatever z is: z + F - sqrt(z^2 + 1) falls to -1 but no further.
TEST(NewtonFb, DoesNotClaimWhatHasNoSolution) {
  const FbAnswer one = solve_by_newton_fb(problem_of(Lcp{matrix(1, 1, {0}), vector({-1})}));
  EXPECT_TRUE(one.status == Status::kStationary || one.status == Status::kStalled);
  for (const char* family : {"no-solution", "infeasible"}) {
    for (int seed = 1; seed <= 10; ++seed) {
      const FbAnswer s = solve_by_newton_fb(generate(find_family(family), 10, seed));
      EXPECT_TRUE(s.status == Status::kStationary || s.status == Status::kStalled);
      EXPECT_FALSE(s.message.empty());
    }
  }
}

// x = 1 and x = 2 by two free unknowns of which one never occurs: least squares meet in between.
TEST(NewtonFb, NamesTheSingularRowsOfAStationaryPoint) {
  Problem p = problem_of(Mlcp{matrix(3, 3, {1, 0, 0, 1, 0, 0, 0, 0, 1}), vector({-1, -2, -5}),
                              Vector::Constant(3, -kInf), Vector::Constant(3, kInf)});
  p.variables = {"first", "second", "third"};
  const FbAnswer s = solve_by_newton_fb(p);
  EXPECT_EQ(s.status, Status::kStationary);
  EXPECT_NE(s.message.find("first, second"), std::string::npos) << s.message;
  EXPECT_EQ(s.message.find("third"), std::string::npos) << s.message;
}

TEST(NewtonFb, LimitsAndInterruptionAreHonest) {
  const Problem p = generate(find_family("no-solution"), 40, 1);
  NewtonFb solver;
  solver.prepare(p);
  solver.limits.time_limit = 1e-9;
  EXPECT_EQ(solver.solve().status, Status::kTimeLimit);
  solver.limits.time_limit = 0.0;
  solver.limits.max_iterations = 7;
  const Result& limited = solver.solve();
  EXPECT_EQ(limited.status, Status::kIterationLimit);
  EXPECT_EQ(limited.iterations, 7);
  IterationRecords recorder;
  recorder.stop_after = 4;
  EXPECT_EQ(solver.solve(nullptr, &recorder).status, Status::kInterrupted);
  EXPECT_EQ(recorder.records.size(), 4u);
  EXPECT_EQ(recorder.records[0].step_type, "start");
  EXPECT_EQ(recorder.records[3].iteration, 3);
}

TEST(NewtonFb, RefusesSettingsThatItDoesNotKnow) {
  const Problem p = generate(find_family("psd"), 3, 1);
  for (const char* name :
       {"function", "least_squares", "equilibrate", "linear_algebra", "inside"}) {
    NewtonFb solver;
    EXPECT_THROW(set_setting(solver, name, "nonsense"), std::invalid_argument) << name;
  }
  NewtonFb solver;
  solver.settings.lambda = 0.0;
  EXPECT_THROW(solver.prepare(p), std::invalid_argument);
  EXPECT_THROW(solver.solve(), std::logic_error);
}

TEST(NewtonFb, SameBuildSameBits) {
  const Problem p = generate(find_family("contact-pile"), 20, 2);
  EXPECT_EQ(solve_by_newton_fb(p).z, solve_by_newton_fb(p).z);
}

// Members of all small families and random mixed problems, against enumeration.
TEST(NewtonFb, AgreesWithEnumeration) {
  std::map<std::string, int> ends;
  int solvable = 0, solved = 0, solved_later = 0;
  for (int seed = 0; seed < 3000; ++seed) {
    Random random(7000 + seed);
    const Problem p = problem_of(random_box_problem(random));
    const FbAnswer s = solve_by_newton_fb(p, 1e-9);
    const bool has = !enumerate_solutions(std::get<Mlcp>(p.data), 1e-9).solutions.empty();
    solvable += has;
    solved += s.status == Status::kSolved;
    solved_later += s.status == Status::kSolved || (has && by_further_tries(p));
    if (s.status == Status::kSolved) {
      EXPECT_TRUE(has) << seed;
    } else {
      EXPECT_TRUE(s.status == Status::kStationary || s.status == Status::kStalled) << seed;
    }
  }
  RecordProperty("solvable", solvable);
  RecordProperty("solved", solved);
  EXPECT_GT(solvable, 1500);
  EXPECT_GT(solved, solvable * 0.9);
  EXPECT_GT(solved_later, solvable * 0.99);
}

}  // namespace
}  // namespace perp::test
