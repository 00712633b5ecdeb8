// Enumeration and Lemke's method on ten thousand small problems; enumeration on known ones.
#include "support.hpp"

#include <perp/solvers/enumeration/enumerate.hpp>
#include <perp/solvers/pivoting/farkas.hpp>
#include <perp/solvers/registry.hpp>
#include <perp/solvers/router.hpp>

#include <map>

namespace perp::test {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr int kSmallProblems = 2000;
#else
constexpr int kSmallProblems = 10000;
#endif

TEST(Enumerate, FindsAllSolutions) {
  // M = [0 1; 1 0]-like with three solutions: (0,0), (1,1) and none else for q = (1,1), M = -I: z
  // in {0,1}^2.
  const Lcp p{matrix(2, 2, {-1, 0, 0, -1}), vector({1, 1})};
  EXPECT_EQ(enumerate_solutions(to_mlcp(p), 1e-12).solutions.size(), 4u);
}

TEST(Enumerate, SeesAContinuum) {
  const Lcp p{matrix(2, 2, {1, 1, 1, 1}), vector({-1, -1})};  // z1 + z2 = 1
  const Enumeration e = enumerate_solutions(to_mlcp(p), 1e-12);
  EXPECT_TRUE(e.continuum);
  EXPECT_GE(e.solutions.size(), 2u);
}

// A solution that no nonsingular complementary basis gives: z0 must make w0 and w1 vanish at once.
TEST(Enumerate, FindsExtremePointsOfSingularBases) {
  const Lcp p{matrix(2, 2, {0, 0, 1, 0}),
              vector({0, -1})};  // w0 = 0, w1 = z0 - 1: z0 = 1, z1 anything
  const Enumeration e = enumerate_solutions(to_mlcp(p), 1e-12);
  ASSERT_FALSE(e.solutions.empty());
  for (const Vector& z : e.solutions) EXPECT_TRUE(verify(problem_of(p), {z, {}}, 1e-12).solved);
}

TEST(Enumerate, BoundsAndFixedVariables) {
  const Mlcp p{matrix(2, 2, {1, 0, 0, 1}), vector({-0.5, 0.5}), vector({-1, -1}), vector({1, 1})};
  const Enumeration e = enumerate_solutions(p, 1e-12);
  ASSERT_EQ(e.solutions.size(), 1u);
  EXPECT_EQ(e.solutions[0], vector({0.5, -0.5}));
  EXPECT_EQ(e.bases, 9);
}

TEST(Enumerate, RefusesLargeProblems) {
  EXPECT_THROW(
      enumerate_solutions(
          to_mlcp(Lcp{DenseMatrix(DenseMatrix::Identity(16, 16)), Vector::Zero(16)}), 1e-8),
      std::invalid_argument);
}

// What find_farkas says after a ray.
void check_proof(const Mlcp& p, bool solvable, std::map<std::string, int>& ends) {
  const auto farkas = find_farkas(p, 0.0, nullptr);
  if (!farkas) return;
  if (farkas->check.holds) {
    EXPECT_FALSE(solvable);
    EXPECT_TRUE(check_farkas(p, farkas->y).holds);
    ++ends["proved infeasible"];
    return;
  }
  // Products of Gaussian factors are singular up to rounding only.
  const DenseMatrix m = p.M.to_dense();
  EXPECT_FALSE((m.array() == m.array().round()).all());
  EXPECT_GE(farkas->check.radius, 1e10);
}

// Ten thousand; with sanitizers, which look for faults that each has or none, fewer.
TEST(Agreement, SmallProblems) {
  std::map<std::string, int> ends;
  for (int seed = 0; seed < kSmallProblems; ++seed) {
    Random random(1000 + seed);
    const Problem p = problem_of(random_box_problem(random));
    const Solved s = solve_by_lemke(p, 1e-9);
    const bool solvable = !enumerate_solutions(std::get<Mlcp>(p.data), 1e-9).solutions.empty();
    ++ends[std::string(to_string(s.status)) + (solvable ? " solvable" : " unsolvable")];
    switch (s.status) {
      case Status::kSolved:
        EXPECT_TRUE(solvable) << seed;
        break;
      case Status::kRay:
        check_proof(std::get<Mlcp>(p.data), solvable, ends);
        break;
      case Status::kStalled:
        EXPECT_FALSE(std::isnan(s.verdict.measure)) << seed;
        break;  // a closed path
      default:
        ADD_FAILURE() << seed << " " << to_string(s.status);
    }
  }
  for (const auto& [end, count] : ends) RecordProperty(end, count);
  EXPECT_GT(ends["solved solvable"], 0.4 * kSmallProblems);
  EXPECT_GT(ends["proved infeasible"], 0.2 * kSmallProblems);
}

// Positive semidefinite and feasible: Lemke's method must solve it [CottlePangStone2009,
// Sec. 4.4].
TEST(Agreement, MonotoneFeasibleProblemsAreAlwaysSolved) {
  for (int seed = 0; seed < 3000; ++seed) {
    Random random(50000 + seed);
    const int n = 1 + random.index(12), rank = 1 + random.index(n);
    DenseMatrix a(n, rank), b(n, n);
    for (double& x : a.reshaped()) x = seed % 2 ? random.index(3) - 1 : random.normal();
    for (double& x : b.reshaped()) x = seed % 2 ? random.index(3) - 1 : random.normal();
    const DenseMatrix m = a * a.transpose() + (b - b.transpose());
    Vector feasible(n), q(n);
    for (double& x : feasible) x = random.index(2) * random.uniform();
    q = -m * feasible;
    for (double& x : q) x += random.index(2) * random.uniform();
    EXPECT_EQ(solve_by_lemke(problem_of(Lcp{m, q}), 1e-9).status, Status::kSolved) << seed;
  }
}

VerifiedResult solve_by_auto(const Problem& p, const Vector* start = nullptr) {
  SolveRequest request;
  request.limits.tolerance = 1e-10;
  if (start) request.start = *start;
  return solve_verified(p, request);
}

TEST(Router, AutoFindsPlantedSolutionsThatOnePathMisses) {
  int alone = 0;
  for (int n : {10, 20}) {
    for (int seed = 1; seed <= 20; ++seed) {
      const VerifiedResult r = solve_by_auto(generate(find_family("nonmonotone"), n, seed));
      EXPECT_EQ(r.status, Status::kSolved) << n << " " << seed;
      alone += r.route.front().status == Status::kSolved;
    }
  }
  EXPECT_LT(alone, 40);
}

TEST(Router, AutoLeavesAnExponentialPath) {
  for (const char* name : {"murty", "fathi"}) {
    const VerifiedResult r = solve_by_auto(generate(find_family(name), 30, 1));
    EXPECT_EQ(r.status, Status::kSolved) << name;
    EXPECT_EQ(r.route.front().status, Status::kIterationLimit) << name;
    EXPECT_LT(r.iterations, 10000) << name;
  }
}

// Each try keeps to the caller's limit, also where auto's own is lower or is lifted in the end.
TEST(Router, AutoKeepsToAnIterationLimit) {
  SolveRequest request;
  request.limits.max_iterations = 50;
  const VerifiedResult r = solve_verified(generate(find_family("murty"), 20, 1), request);
  for (const RouteStep& step : r.route) EXPECT_LE(step.iterations, 50) << step.solver.str();
}

TEST(Router, AutoIsDoneAtOnceFromAStartThatIsAllButRight) {
  const Problem p = generate(find_family("p-matrix"), 600, 3);
  Vector start = p.solution->z;
  Random random(1);
  for (double& z : start) z *= 1.0 + 1e-6 * random.normal();
  ASSERT_FALSE(verify(p, {start, {}}, 1e-10).solved);
  const VerifiedResult r = solve_by_auto(p, &start);
  EXPECT_EQ(r.status, Status::kSolved);
  ASSERT_EQ(r.route.size(), 1u);
  EXPECT_EQ(r.route.front().solver.str(), "polish");  // Newton steps on its active set are enough
  EXPECT_LE(r.iterations, 2);
}

TEST(Router, AutoRefusesAStartOfTheWrongSize) {
  const Vector start = Vector::Zero(3);
  EXPECT_THROW(solve_by_auto(generate(find_family("contact-pile"), 120, 3), &start),
               std::invalid_argument);
}

TEST(Router, VerifiedStatusOverridesTheClaim) {
  Verdict solved, not_solved;
  solved.solved = true;
  EXPECT_EQ(judge(Status::kSolved, not_solved), Status::kWrong);
  EXPECT_EQ(judge(Status::kStalled, solved), Status::kSolved);
  EXPECT_EQ(judge(Status::kRay, not_solved), Status::kRay);
}

// What is solved from nothing is solved from any start, as warm() promises of every method.
TEST(Conformance, ABadStartCostsNoSolution) {
  for (const SolverFactory& make : solver_registry()) {
    for (int seed = 0; seed < 200; ++seed) {
      Random random(seed);
      const Problem p = problem_of(random_box_problem(random));
      const std::unique_ptr<Solver> method = make();
      if (method->refusal(p)) continue;
      const std::string name(method->traits().name);
      const std::unique_ptr<Solver> solver = make_solver("warm(" + name + ")");
      solver->prepare(p);
      if (solver->solve().status != Status::kSolved) continue;
      Vector start(p.size());
      for (double& z : start) z = 10.0 * random.normal();
      const Result& r = solver->solve(&start);
      EXPECT_EQ(r.status, Status::kSolved) << name << " " << seed;
      EXPECT_TRUE(verify(p, {r.z, {}}, solver->limits.tolerance).solved) << name << " " << seed;
    }
  }
}

// Every registered solver, on problems of every kind it takes: never a wrong answer.
TEST(Conformance, EverySolverIsHonest) {
  for (const SolverFactory& make : solver_registry()) {
    for (int seed = 0; seed < 300; ++seed) {
      Random random(seed);
      const Problem p = problem_of(random_box_problem(random));
      const std::unique_ptr<Solver> solver = make();
      if (solver->refusal(p)) continue;
      const VerifiedResult r = solve_with(*solver, p);
      EXPECT_NE(r.status, Status::kWrong) << solver->traits().name << " " << seed;
      EXPECT_FALSE(solver->traits().name.empty());
      EXPECT_FALSE(solver->traits().source.empty());
    }
  }
}

}  // namespace
}  // namespace perp::test
