// smoothing-continuation: its equations by finite differences, its answers by closed forms, by
// enumeration, by another method and by the verifier; its turns.
#include "friction_support.hpp"

#include <perp/solvers/enumeration/enumerate.hpp>
#include <perp/solvers/friction/smoothing_continuation.hpp>
#include <perp/solvers/registry.hpp>

namespace perp::test {
namespace {

/// Solves from zero; claim and verifier agree.
Solved follow_path(const Problem& problem, double tolerance = 1e-8,
                   std::initializer_list<std::pair<const char*, const char*>> settings = {}) {
  SmoothingContinuation solver;
  for (const auto& [key, value] : settings) set_setting(solver, key, value);
  solver.limits.tolerance = tolerance;
  solver.limits.time_limit = 20;
  solver.prepare(problem);
  const Result& r = solver.solve();
  Solved s{r.status, r.z, verify(problem, {r.z, {}}, tolerance), r.iterations, {}, 0};
  EXPECT_EQ(s.status == Status::kSolved, s.verdict.solved)
      << problem.name << " " << r.message << " " << s.verdict.measure;
  return s;
}

double statistic(const Result& result, std::string_view name) {
  for (const auto& [key, value] : result.statistics) {
    if (key == name) return value;
  }
  return -1.0;
}

// A dr + B W dr and the derivative by ln sigma against central differences.
TEST(SmoothedContacts, DerivativesAreThoseOfDifferences) {
  Random random(3);
  for (const double mu : {0.0, 0.2, 1.5}) {
    const int n = 9;
    const DenseMatrix a = gaussian(random, n, n);
    const DenseMatrix w = a * a.transpose() + DenseMatrix::Identity(n, n);
    ContactProblem problem;
    problem.build(contact_problem(w, gaussian(random, n, 1), mu, 3), ContactScaling::kContact);
    SmoothedContacts smoothed;
    smoothed.attach(problem, 0.7, 0.4);
    for (const double theta : {0.0, 0.6, 1.0}) {
      for (const double sigma : {1.0, 0.03}) {
        const Vector r = gaussian(random, n, 1), d = gaussian(random, n, 1);
        const auto phi = [&](double t, double log_change) {
          smoothed.evaluate(sigma * std::exp(log_change), theta, r + t * d);
          Vector value(n);
          for (int i = 0; i < n; ++i) value[i] = smoothed.rows()[i / 3].phi[i % 3];
          return value;
        };
        constexpr double kStep = 1e-5;
        const Vector along = (phi(kStep, 0) - phi(-kStep, 0)) / (2 * kStep);
        const Vector by_sigma = (phi(0, kStep) - phi(0, -kStep)) / (2 * kStep);
        smoothed.evaluate(sigma, theta, r);
        Vector wd;
        wd.setZero(n);
        problem.multiply(d, wd);
        wd += smoothed.shift() * d;
        for (int i = 0; i < n; ++i) {
          const ContactRows& row = smoothed.rows()[i / 3];
          double expected = 0.0;
          for (int j = 0; j < 3; ++j)
            expected +=
                row.A[3 * j + i % 3] * d[i / 3 * 3 + j] + row.B[3 * j + i % 3] * wd[i / 3 * 3 + j];
          EXPECT_NEAR(along[i], expected, 1e-6 * (1 + std::abs(expected))) << mu << " " << theta;
          EXPECT_NEAR(by_sigma[i], smoothed.rows_of_sigma()[i / 3].phi[i % 3], 1e-6);
        }
      }
    }
  }
}

TEST(SmoothingContinuation, OneContactInClosedForm) {
  const DenseMatrix w = vector({2, 4, 4}).asDiagonal();
  for (const auto& [q, r] : one_contact_cases()) {
    const Solved s = follow_path(problem_of(contact_problem(w, q, 0.5, 3)), 1e-12);
    EXPECT_LT((s.z - r).norm(), 1e-9);
  }
}

TEST(SmoothingContinuation, NoContactsAndNoFriction) {
  EXPECT_EQ(follow_path(problem_of(contact_problem(DenseMatrix(0, 0), Vector(0), 0.5, 3))).status,
            Status::kSolved);
  const Solved s = follow_path(problem_of(
      contact_problem(DenseMatrix::Identity(6, 6), vector({1, 0, 0, -1, 0, 0}), 0.0, 3)));
  EXPECT_EQ(s.status, Status::kSolved);
  EXPECT_LT((s.z - vector({0, 0, 0, 1, 0, 0})).norm(), 1e-7);
}

// In the plane, with r_t = b_1 - b_2, friction is an LCP, all of whose solutions are known.
TEST(SmoothingContinuation, AgreesWithOneOfAllSolutionsInThePlane) {
  Random random(6);
  for (int k = 0; k < 20; ++k) {
    const int nc = 1 + k % 3;
    const DenseMatrix a = gaussian(random, 2 * nc, 2 * nc);
    const DenseMatrix w = a * a.transpose() + 0.5 * DenseMatrix::Identity(2 * nc, 2 * nc);
    const FrictionContact f = contact_problem(w, gaussian(random, 2 * nc, 1), 0.4, 2);
    const Enumeration all = enumerate_solutions(to_mlcp(planar_lcp(f)), 1e-10);
    const Solved s = follow_path(problem_of(f), 1e-11);
    ASSERT_EQ(s.status, Status::kSolved) << k;
    double nearest = kInf;
    for (const Vector& z : all.solutions)
      nearest = std::min(nearest, (planar_impulses(z) - s.z).norm());
    EXPECT_LT(nearest, 1e-7) << k;
  }
}

TEST(SmoothingContinuation, AgreesWithSweepsWhereTheSolutionIsUnique) {
  Random random(7);
  const int n = 24;
  const DenseMatrix a = gaussian(random, n, n);
  const DenseMatrix w = 0.01 * a * a.transpose() + DenseMatrix::Identity(n, n);
  const Vector q = gaussian(random, n, 1);
  const Problem p = problem_of(contact_problem(w, q, 0.3, 3));
  const std::unique_ptr<Solver> sweeps = make_solver("nsgs");
  sweeps->limits.tolerance = 1e-13;
  sweeps->prepare(p);
  const Vector r = sweeps->solve().z;
  EXPECT_GT(r.norm(), 0.5);
  EXPECT_LT((follow_path(p, 1e-12).z - r).norm(), 1e-10);
  // u in other units, r too.
  const Problem scaled = problem_of(contact_problem(1e-6 * w, 1e3 * q, 0.3, 3));
  EXPECT_LT((follow_path(scaled, 1e-12).z * 1e-9 - r).norm(), 1e-8);
}

// A packing whose path turns back many times; and what is solved is solved without a finish, too.
TEST(SmoothingContinuation, FollowsAPathThatTurns) {
  const Problem p = generate(find_family("friction-granular"), 100, 1, {{"operator", 1}});
  for (const char* finish : {"1e-3", "1e-30"}) {
    SmoothingContinuation solver;
    set_setting(solver, "finish_sigma", finish);
    set_setting(solver, "slip_smoothing", "1");
    solver.prepare(p);
    const Result& r = solver.solve();
    EXPECT_EQ(r.status, Status::kSolved) << r.message;
    EXPECT_TRUE(verify(p, {r.z, {}}, 1e-8).solved);
    EXPECT_GE(statistic(r, "turns"), 10);
    // Points near each other share factors.
    EXPECT_LT(statistic(r, "factorisations"), r.iterations);
    EXPECT_EQ(statistic(r, "finish_steps") > 0, finish == std::string("1e-3"));
  }
}

TEST(SmoothingContinuation, SolvesStacksTowersAndPiles) {
  for (const char* family : {"friction-stack", "friction-tower", "friction-pile"}) {
    for (int seed = 1; seed <= 3; ++seed) {
      const Problem p = generate(find_family(family), 20, seed);
      EXPECT_EQ(follow_path(p).status, Status::kSolved) << p.name;
    }
  }
}

TEST(SmoothingContinuation, UpdateIsLikePrepare) {
  const Problem first = generate(find_family("friction-pile"), 30, 1);
  Problem other = first;
  auto& q = std::get<FrictionContact>(other.data).q;
  q *= 1.5;
  q[0] -= 0.25;
  SmoothingContinuation kept;
  kept.prepare(first);
  for (const Problem* p : std::initializer_list<const Problem*>{&first, &other, &first}) {
    SmoothingContinuation fresh;
    fresh.prepare(*p);
    kept.update(*p);
    const Vector expected = fresh.solve().z;
    EXPECT_EQ(kept.solve().z, expected);
  }
}

// W indefinite, not symmetric, singular: no claim is wrong, and every solve ends.
TEST(SmoothingContinuation, HonestOnMatricesOfAnySort) {
  Random random(8);
  int solved = 0;
  for (int k = 0; k < 60; ++k) {
    const Problem p = problem_of(random_friction_problem(random));
    SmoothingContinuation solver;
    solver.limits.max_iterations = 300;
    solver.prepare(p);
    const Result& r = solver.solve();
    const bool right = verify(p, {r.z, {}}, 1e-8).solved;
    EXPECT_TRUE(right || r.status != Status::kSolved) << k;
    solved += right;
  }
  EXPECT_GT(solved, 20);
}

}  // namespace
}  // namespace perp::test
