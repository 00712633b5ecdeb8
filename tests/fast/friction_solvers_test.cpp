// nsgs, newton-ac, proximal-newton and auto on exact friction.
#include "friction_support.hpp"

#include <perp/bench/data/data_files.hpp>
#include <perp/problems/io/problem_file.hpp>
#include <perp/solvers/enumeration/enumerate.hpp>
#include <perp/solvers/friction/newton_ac.hpp>
#include <perp/solvers/friction/nsgs.hpp>
#include <perp/solvers/friction/proximal_newton.hpp>
#include <perp/solvers/registry.hpp>
#include <perp/solvers/router.hpp>

namespace perp::test {
namespace {

constexpr const char* kSolvers[] = {"nsgs", "newton-ac", "proximal-newton"};

/// Solves, and asserts that claim and verifier agree.
Solved solve_by(const std::string& name, const Problem& problem, double tolerance = 1e-8,
                std::initializer_list<std::pair<const char*, const char*>> settings = {},
                const Vector* start = nullptr) {
  const std::unique_ptr<Solver> solver = make_solver(name);
  for (const auto& [key, value] : settings) set_setting(*solver, key, value);
  solver->limits.tolerance = tolerance;
  solver->limits.time_limit = 10;
  solver->prepare(problem);
  const Result& r = solver->solve(start);
  Solved s{r.status, r.z, verify(problem, {r.z, {}}, tolerance), r.iterations, {}, 0};
  EXPECT_EQ(s.status == Status::kSolved, s.verdict.solved)
      << name << " on " << problem.name << " " << to_string(s.status) << " " << s.verdict.measure;
  return s;
}

VerifiedResult solve_friction_by_auto(const Problem& problem, double tolerance = 1e-8) {
  SolveRequest request;
  request.limits.tolerance = tolerance;
  request.limits.time_limit = 20;
  return solve_verified(problem, request);
}

TEST(FrictionSolvers, OneContactInClosedForm) {
  const DenseMatrix w = vector({2, 4, 4}).asDiagonal();
  for (const auto& [q, r] : one_contact_cases()) {
    const Problem p = problem_of(contact_problem(w, q, 0.5, 3));
    for (const char* name : kSolvers)
      EXPECT_LT((solve_by(name, p, 1e-12).z - r).norm(), 1e-9) << name;
    EXPECT_LT((solve_friction_by_auto(p, 1e-12).answer.z - r).norm(), 1e-9);
  }
}

// Friction of 1e6 sticks where it can; the coupling of W then gives the impulse of a free joint.
TEST(FrictionSolvers, HugeFrictionSticks) {
  const DenseMatrix w = matrix(3, 3, {2, 0.3, 0, 0.3, 1, 0.1, 0, 0.1, 1});
  const Vector r = vector({2, 3, -5});
  const Problem p = problem_of(contact_problem(w, -w * r, 1e6, 3));
  for (const char* name : kSolvers) EXPECT_LT((solve_by(name, p).z - r).norm(), 1e-9) << name;
}

FrictionContact uncoupled(std::initializer_list<double> q, double w) {
  FrictionContact p;
  p.dimension = 3;
  p.q = vector(q);
  p.W = Matrix(DenseMatrix(w * DenseMatrix::Identity(p.q.size(), p.q.size())));
  p.mu = Vector::Constant(p.q.size() / 3, 0.5);
  return p;
}

// ||F||_2 / ||q||_2 alone takes r = 0 for an answer where another contact is 1e9 times as fast.
TEST(FrictionSolvers, NoContactIsHiddenByALargeOneElsewhere) {
  for (const bool sparse : {false, true}) {
    FrictionContact p = uncoupled({1e9, 0, 0, -1, 0, 0}, 1.0);
    if (sparse) p.W = Matrix(p.W.to_sparse());
    const Problem problem = problem_of(p);
    for (const char* name : {"nsgs", "newton-ac", "proximal-newton", "admm"}) {
      const std::unique_ptr<Solver> solver = make_solver(name);
      solver->prepare(problem);
      const Result& r = solver->solve();
      EXPECT_EQ(r.status, Status::kSolved) << name << r.message;
      EXPECT_NEAR(r.z[3], 1.0, 1e-7) << name;
      EXPECT_TRUE(verify(problem, {r.z, {}}, 1e-8).solved) << name;
    }
  }
}

// Impulses of 1e12 for velocities of 1; squares of q that overflow.
TEST(FrictionSolvers, OtherUnitsAreNoObstacle) {
  for (const Problem& problem :
       {problem_of(uncoupled({-1, 0.1, 0}, 1e-12)), problem_of(uncoupled({1e160, 0, 0}, 1.0))}) {
    for (const char* name : {"nsgs", "newton-ac", "proximal-newton", "admm"}) {
      const std::unique_ptr<Solver> solver = make_solver(name);
      solver->prepare(problem);
      const Result& r = solver->solve();
      EXPECT_TRUE(verify(problem, {r.z, {}}, 1e-8).solved) << name << r.message;
      EXPECT_EQ(r.status, Status::kSolved) << name << r.message;
    }
  }
}

TEST(FrictionSolvers, NoContactsAtAll) {
  for (const int d : {2, 3}) {
    const Problem p = problem_of(contact_problem(DenseMatrix(0, 0), Vector(0), 0.5, d));
    for (const char* name : kSolvers) {
      const Solved s = solve_by(name, p);
      EXPECT_EQ(s.status, Status::kSolved) << name;
      EXPECT_EQ(s.z.size(), 0);
    }
    EXPECT_EQ(solve_friction_by_auto(p).status, Status::kSolved);
  }
}

// mu = 0 is an LCP in the normal impulses.
TEST(FrictionSolvers, WithoutFrictionTheLcpOfTheNormals) {
  Random random(5);
  for (int k = 0; k < 10; ++k) {
    const int nc = 6;
    const DenseMatrix a = gaussian(random, 3 * nc, 3 * nc);
    const DenseMatrix w = a * a.transpose() + 0.1 * DenseMatrix::Identity(3 * nc, 3 * nc);
    const Vector q = gaussian(random, 3 * nc, 1);
    DenseMatrix m(nc, nc);
    Vector normal(nc);
    for (int i = 0; i < nc; ++i) {
      normal[i] = q[3 * i];
      for (int j = 0; j < nc; ++j) m(i, j) = w(3 * i, 3 * j);
    }
    const Vector expected = solve_by_lemke(problem_of(Lcp{m, normal}), 1e-12).z;
    const Problem p = problem_of(contact_problem(w, q, 0.0, 3));
    for (const char* name : kSolvers) {
      const Solved s = solve_by(name, p, 1e-11);
      ASSERT_EQ(s.status, Status::kSolved) << name;
      for (int i = 0; i < nc; ++i) {
        EXPECT_NEAR(s.z[3 * i], expected[i], 1e-8 * (1 + expected.norm())) << name;
        EXPECT_LT(s.z.segment(3 * i + 1, 2).norm(), 1e-20);
      }
    }
  }
}

TEST(FrictionSolvers, AgreeWithAllSolutionsInThePlane) {
  Random random(6);
  int compared = 0;
  for (int k = 0; k < 30; ++k) {
    const int nc = 1 + k % 3;
    const DenseMatrix a = gaussian(random, 2 * nc, 2 * nc);
    const DenseMatrix w = a * a.transpose() + 0.5 * DenseMatrix::Identity(2 * nc, 2 * nc);
    FrictionContact f = contact_problem(w, gaussian(random, 2 * nc, 1), 0.4, 2);
    const Enumeration all = enumerate_solutions(to_mlcp(planar_lcp(f)), 1e-10);
    const Problem p = problem_of(f);
    for (const char* name : kSolvers) {
      const Solved s = solve_by(name, p, 1e-11);
      ASSERT_EQ(s.status, Status::kSolved) << name << " " << k;
      double nearest = kInf;
      for (const Vector& z : all.solutions)
        nearest = std::min(nearest, (planar_impulses(z) - s.z).norm());
      EXPECT_LT(nearest, 1e-7) << name << " " << k;
      ++compared;
    }
  }
  EXPECT_EQ(compared, 90);
}

// A unique solution where W is near the identity: all find it, from any start, in any scale.
TEST(FrictionSolvers, AgreeWhereTheSolutionIsUnique) {
  Random random(7);
  const int nc = 8, n = 3 * nc;
  const DenseMatrix a = gaussian(random, n, n);
  const DenseMatrix w = 0.01 * a * a.transpose() + DenseMatrix::Identity(n, n);
  const Vector q = gaussian(random, n, 1);
  const Problem p = problem_of(contact_problem(w, q, 0.3, 3));
  const Vector r = solve_by("nsgs", p, 1e-13).z;
  EXPECT_GT(r.norm(), 0.5);
  for (const char* name : kSolvers) {
    EXPECT_LT((solve_by(name, p, 1e-12).z - r).norm(), 1e-10) << name;
    const Vector start = gaussian(random, n, 1) * 10.0;
    EXPECT_LT((solve_by(name, p, 1e-12, {}, &start).z - r).norm(), 1e-10) << name;
    // u in other units, r too.
    const Problem scaled = problem_of(contact_problem(1e-6 * w, 1e3 * q, 0.3, 3));
    EXPECT_LT((solve_by(name, scaled, 1e-12).z * 1e-9 - r).norm(), 1e-8) << name;
    const Solved again = solve_by(name, p, 1e-8, {}, &r);
    EXPECT_EQ(again.pivots, 0) << name;  // iterations: nothing is left to do
  }
}

TEST(FrictionSolvers, SolveStacksTowersAndPiles) {
  int by_map_of_ac = 0;
  for (const char* family : {"friction-stack", "friction-tower", "friction-pile"}) {
    for (int seed = 1; seed <= 5; ++seed) {
      for (const int size : {20, 50}) {
        const Problem p = generate(find_family(family), size, seed);
        EXPECT_EQ(solve_by("proximal-newton", p).status, Status::kSolved) << p.name;
        EXPECT_EQ(solve_friction_by_auto(p).status, Status::kSolved) << p.name;
      }
      const Problem small = generate(find_family(family), 20, seed);
      EXPECT_EQ(solve_by("newton-ac", small, 1e-8, {{"map", "natural"}}).status, Status::kSolved)
          << small.name;
      by_map_of_ac += solve_by("newton-ac", small).status == Status::kSolved;
      EXPECT_EQ(solve_by("nsgs", small).status, Status::kSolved);
    }
  }
  EXPECT_GE(by_map_of_ac, 13);  // of 15: it gets stuck at a stack and a tower
}

// Where its steps are stuck newton-ac ends: no other method, map or start is behind its name.
TEST(FrictionSolvers, NewtonEndsWhereItIsStuck) {
  const Problem p = generate(find_family("friction-stack"), 20, 1);
  struct Steps final : Observer {
    int sweeps = 0, count = 0;
    bool on_iteration(const IterationRecord& record) override {
      ++count;
      sweeps += record.step_type == std::string_view("sweep");
      return true;
    }
  } steps;
  const std::unique_ptr<Solver> solver = make_solver("newton-ac");
  solver->prepare(p);
  const Result& r = solver->solve({}, &steps);
  EXPECT_EQ(r.status, Status::kStalled);
  EXPECT_EQ(steps.count, r.iterations + 1);  // the point it starts from, and one a step
  EXPECT_EQ(steps.sweeps, 0);
  EXPECT_LE(r.iterations, 100);
}

// An open contact without friction whose slip is exactly 0: the cone K_0 is a half line, and what
// is below its tip is not in it.
TEST(FrictionSolvers, OpenContactsWithoutFriction) {
  const Problem p =
      problem_of(contact_problem(DenseMatrix::Identity(6, 6), vector({1, 0, 0, -1, 0, 0}), 0.0, 3));
  EXPECT_TRUE(verify(p, {vector({0, 0, 0, 1, 0, 0}), {}}, 1e-12).solved);
  EXPECT_FALSE(verify(p, {vector({-1, 0, 0, 1, 0, 0}), {}}, 1e-8).solved);
  for (const char* name : {"nsgs", "newton-ac", "proximal-newton", "admm"})
    EXPECT_EQ(solve_by(name, p).status, Status::kSolved) << name;
}

// Other values and the same pattern, another pattern, and back: what prepare() would give.
TEST(FrictionSolvers, UpdateIsLikePrepare) {
  const Problem first = generate(find_family("friction-pile"), 30, 1);
  Problem other = first, third = first;
  auto& q = std::get<FrictionContact>(other.data).q;
  q *= 1.5;
  q[0] -= 0.25;
  auto& contact = std::get<FrictionContact>(third.data);
  contact.W = Matrix(DenseMatrix(contact.W.to_dense() +
                                 0.1 * DenseMatrix::Ones(contact.W.rows(), contact.W.rows())));
  for (const char* name : {"nsgs", "newton-ac", "proximal-newton", "admm"}) {
    const std::unique_ptr<Solver> kept = make_solver(name);
    kept->prepare(first);
    for (const Problem* p : std::initializer_list<const Problem*>{&first, &other, &third, &first}) {
      const std::unique_ptr<Solver> fresh = make_solver(name);
      fresh->prepare(*p);
      kept->update(*p);
      const Vector expected = fresh->solve().z;
      EXPECT_EQ(kept->solve().z, expected) << name;
    }
  }
}

// The Newton steps converge fast at the end: far fewer steps than sweeps, and 1e-11 is reached. Of
// a hundred such problems some three stall, and rounding decides which.
TEST(FrictionSolvers, NewtonNeedsFewSteps) {
  int solved = 0;
  for (int seed = 1; seed <= 10; ++seed) {
    const Problem p = generate(find_family("friction-stack"), 50, seed);
    const Solved newton = solve_by("newton-ac", p, 1e-11, {{"map", "natural"}});
    EXPECT_LT(newton.pivots, 40) << seed;
    solved += newton.status == Status::kSolved;
    EXPECT_GT(solve_by("nsgs", p).pivots, 500) << seed;
  }
  EXPECT_GE(solved, 8);
}

TEST(FrictionSolvers, DuplicatedContactsAndOperators) {
  for (const char* family : {"friction-stack", "friction-pile"}) {
    const Problem twice = generate(find_family(family), 20, 2, {{"duplicates", 1}});
    const Problem applied = generate(find_family(family), 20, 2, {{"operator", 1}});
    for (const char* name : {"newton-ac", "proximal-newton"}) {
      EXPECT_EQ(solve_by(name, twice).status, Status::kSolved) << name;
      EXPECT_EQ(solve_by(name, applied).status, Status::kSolved) << name;
    }
    EXPECT_EQ(solve_friction_by_auto(twice).status, Status::kSolved);
  }
}

TEST(FrictionSolvers, DenseAndSparseLinearAlgebraAgree) {
  const Problem p = generate(find_family("friction-pile"), 40, 5);
  for (const char* name : {"newton-ac", "proximal-newton"}) {
    for (const char* algebra : {"dense", "sparse"})
      EXPECT_EQ(solve_by(name, p, 1e-10, {{"linear_algebra", algebra}}).status, Status::kSolved);
  }
  EXPECT_EQ(solve_by("newton-ac", p, 1e-8, {{"least_squares", "always"}}).status, Status::kSolved);
}

TEST(FrictionSolvers, OrdersOfSweeps) {
  const Problem p = generate(find_family("friction-pile"), 20, 1);
  const int given = solve_by("nsgs", p).pivots;
  const int random = solve_by("nsgs", p, 1e-8, {{"order", "random"}, {"seed", "3"}}).pivots;
  EXPECT_NE(given, random);
  EXPECT_EQ(solve_by("nsgs", p, 1e-8, {{"order", "random"}, {"seed", "3"}}).pivots, random);
  EXPECT_EQ(solve_by("nsgs", p, 1e-8, {{"symmetric", "true"}}).status, Status::kSolved);
  EXPECT_EQ(solve_by("nsgs", p, 1e-8, {{"relaxation", "1.3"}}).status, Status::kSolved);
  EXPECT_EQ(solve_by("nsgs", p, 1e-8, {{"regularisation", "0.1"}}).status, Status::kSolved);
}

// q of rounding size: the absolute residual decides, and r = 0 has it.
TEST(FrictionSolvers, VanishingFreeVelocity) {
  const Problem p =
      problem_of(contact_problem(DenseMatrix::Identity(3, 3), vector({-1e-18, 2e-18, 0}), 0.5, 3));
  for (const char* name : kSolvers) EXPECT_EQ(solve_by(name, p).pivots, 0) << name;
}

// W indefinite, not symmetric, singular: no claim is wrong (solve_by asserts it).
TEST(FrictionSolvers, HonestOnMatricesOfAnySort) {
  Random random(8);
  int solved = 0, modest = 0, count = 0;
  for (int k = 0; k < 150; ++k) {
    const Problem p = problem_of(random_friction_problem(random));
    for (const char* name : kSolvers) {
      const std::unique_ptr<Solver> solver = make_solver(name);
      solver->limits.max_iterations = 300;
      solver->prepare(p);
      const Result& r = solver->solve();
      const bool right = verify(p, {r.z, {}}, 1e-8).solved;
      const bool claimed = r.status == Status::kSolved;
      EXPECT_TRUE(right || !claimed) << name << " " << k;
      modest += right && !claimed;  // where rounding alone may reach the tolerance
      solved += right;
      ++count;
    }
  }
  EXPECT_GT(solved, count / 3);
  EXPECT_LE(modest, count / 50);
}

TEST(FrictionSolvers, SayWhichSettingIsWrong) {
  const Problem p = generate(find_family("friction-pile"), 3, 1);
  const struct {
    const char *solver, *name, *value;
  } cases[] = {{"nsgs", "order", "up"},
               {"nsgs", "relaxation", "2"},
               {"nsgs", "scaling", "big"},
               {"newton-ac", "map", "fb"},
               {"newton-ac", "map", "auto"},
               {"newton-ac", "rho", "one"},
               {"newton-ac", "least_squares", "often"},
               {"newton-ac", "linear_algebra", "gpu"}};
  for (const auto& c : cases) {
    try {
      solve_by(c.solver, p, 1e-8, {{c.name, c.value}});
      FAIL() << c.name;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(c.name), std::string::npos) << error.what();
    }
  }
}

TEST(FrictionAuto, GoesOnFromTheBestPoint) {
  const Problem p = generate(find_family("friction-tower"), 100, 1);
  const VerifiedResult result = solve_friction_by_auto(p);
  ASSERT_EQ(result.status, Status::kSolved);
  ASSERT_GE(result.route.size(), 5U);
  EXPECT_EQ(result.route[0].solver, "nsgs");
  EXPECT_EQ(result.route[1].solver, "newton-ac");
  EXPECT_NE(result.route[1].status, Status::kSolved);
  EXPECT_EQ(result.route[2].solver, "certify");  // it cannot prove that there is no solution
  EXPECT_EQ(result.route[3].solver, "nsgs");
  EXPECT_LT(result.route[3].measure, result.route[0].measure);
  EXPECT_EQ(result.route[4].solver, "proximal-newton");
  EXPECT_EQ(result.route.back().status, Status::kSolved);
}

TEST(FrictionAuto, SolvesTheStoredProblems) {
  int count = 0;
  for (const char* name :
       {"Box_Stacks-i0122-82-5.json.gz", "Capsules-i100-889.json.gz", "Capsules-i101-404.json.gz",
        "Capsules-i125-1213.json.gz", "Confeti-ex13-4contact-Fc3D-SBM.json",
        "Confeti-ex13-Fc3D-SBM.json.gz", "FC2D_SliderCrankLagrangian00000.json",
        "FC3D_Example1.json", "FrictionContact3D_1c.json", "FrictionContactProblem00031.json",
        "LMGC_GlobalFrictionContactProblem00046.json.gz", "NESpheres_10_1.json",
        "OneObject-i100000-316.json.gz", "OneObject-i1028-138.json.gz", "Rover1039.json",
        "Rover3865.json", "Spheres-i099-356-679.json.gz",
        "fc2d_granularflowonwall_00667_00000.json.gz"}) {
    const Problem p = read_problem(data_root() / "problems/collections/siconos/friction" / name);
    EXPECT_EQ(solve_friction_by_auto(p).status, Status::kSolved) << name;
    ++count;
  }
  EXPECT_EQ(count, 18);
}

}  // namespace
}  // namespace perp::test
