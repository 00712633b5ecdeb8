// Sessions: what is kept from problem to problem, and that auto is a solver like any other.
#include "support.hpp"

#include <perp/problems/families/family.hpp>
#include <perp/solvers/session.hpp>

#include <memory>

namespace perp::test {
namespace {

// Counts what it is asked to do; solves nothing.
class Counting final : public Solver {
 public:
  struct Counts {
    int prepares = 0, updates = 0, solves = 0;
    double level = 0.0;
  };
  explicit Counting(Counts& counts) : counts_(counts) {}
  const SolverTraits& traits() const override {
    static const SolverTraits traits{"counting", "for tests", "", {"lcp", "mlcp", "mcp"}};
    return traits;
  }
  void visit_settings(SettingVisitor& visitor) override { visitor.visit("level", level_, ""); }

 private:
  void do_prepare(const Problem& problem) override {
    ++counts_.prepares;
    size_ = problem.size();
  }
  void do_update(const Problem&) override { ++counts_.updates; }
  void do_solve(const Start&, Observer*, Result& result) override {
    ++counts_.solves;
    counts_.level = level_;
    result.status = Status::kStalled;
    result.z.setZero(size_);
  }

  Counts& counts_;
  double level_ = 0.0;
  int size_ = 0;
};

class Sessions : public testing::Test {
 protected:
  Sessions() {
    request_.make = [this](std::string_view) { return std::make_unique<Counting>(counts_); };
  }
  void expect(int prepares, int updates, int solves) const {
    EXPECT_EQ(counts_.prepares, prepares);
    EXPECT_EQ(counts_.updates, updates);
    EXPECT_EQ(counts_.solves, solves);
  }

  Counting::Counts counts_;
  SolveRequest request_;
};

Problem two_by_two(double diagonal, double q) {
  return problem_of(Lcp{matrix(2, 2, {diagonal, 1, 1, 2}), vector({q, -1})});
}

TEST_F(Sessions, PrepareOnlyWhatIsNew) {
  request_.solver = "counting";
  Session session(request_);
  session.solve(two_by_two(2, -1), request_);
  expect(1, 0, 1);
  session.solve(two_by_two(2, -1), request_);  // another object, the same bits
  expect(1, 0, 2);
  session.solve(two_by_two(2, -3), request_);
  expect(1, 1, 3);
  session.solve(two_by_two(0, -3), request_);  // dense: a zero is a value
  expect(1, 2, 4);
  session.solve(problem_of(Lcp{matrix(1, 1, {2}), vector({-1})}), request_);
  expect(2, 2, 5);
}

TEST_F(Sessions, AnotherStructureIsPrepared) {
  request_.solver = "counting";
  Session session(request_);
  const auto mlcp = [](double low, double high) {
    return problem_of(Mlcp{matrix(1, 1, {2}), vector({-1}), vector({low}), vector({high})});
  };
  session.solve(mlcp(0, kInf), request_);
  session.solve(mlcp(-1, kInf), request_);  // a bound that stays finite
  expect(1, 1, 2);
  session.solve(mlcp(-kInf, kInf), request_);
  expect(2, 1, 3);
  session.solve(mlcp(1, 1), request_);  // fixed
  expect(3, 1, 4);
  const auto sparse = [](std::vector<Triplet> entries) {
    return problem_of(Lcp{Matrix::from_triplets(2, 2, entries), vector({-1, -1})});
  };
  session.solve(sparse({{0, 0, 1.0}, {1, 1, 1.0}}), request_);
  expect(4, 1, 5);
  session.solve(sparse({{0, 0, 1.0}, {1, 1, 3.0}}), request_);
  expect(4, 2, 6);
  session.solve(sparse({{0, 0, 1.0}, {1, 1, 3.0}, {0, 1, 1.0}}), request_);
  expect(5, 2, 7);
}

TEST_F(Sessions, PartsOfAStrategyKeepWhatTheyHave) {
  request_.solver = "first(counting, repeat(2, counting))";
  Session session(request_);
  session.solve(two_by_two(2, -1), request_);
  expect(2, 0, 3);  // each copy of a method once
  session.solve(two_by_two(2, -3), request_);
  expect(2, 2, 6);
}

TEST_F(Sessions, SettingsThatDependOnTheProblemAreTakenAnew) {
  request_.solver = "counting:level={10*n}";
  Session session(request_);
  session.solve(two_by_two(2, -1), request_);
  EXPECT_EQ(counts_.level, 20.0);
  session.solve(problem_of(Lcp{matrix(1, 1, {2}), vector({-1})}), request_);
  EXPECT_EQ(counts_.level, 10.0);
}

TEST_F(Sessions, SettingsBesideAnExpressionGoToItsMethods) {
  request_.solver = "first(counting)";
  request_.settings = {{"level", "7"}};
  solve_verified(two_by_two(2, -1), request_);
  EXPECT_EQ(counts_.level, 7.0);
  request_.settings = {{"magic", "7"}};
  EXPECT_THROW(solve_verified(two_by_two(2, -1), request_), std::invalid_argument);
}

// A session and fresh solvers give the same bits, problem after problem.
TEST(SessionOfMethods, GivesTheBitsOfFreshSolvers) {
  for (const char* solver : {"lemke", "newton-fb", "newton-min", "pgs", "auto"}) {
    SolveRequest request;
    request.solver = solver;
    request.limits.max_iterations = 2000;
    Session session(request);
    Problem problem = generate(find_family("contact-pile"), 8, 3);
    Random random(5);
    for (int k = 0; k < 6; ++k) {
      const VerifiedResult fresh = solve_verified(problem, request);
      const VerifiedResult& kept = session.solve(problem, request);
      EXPECT_EQ(fresh.answer.z, kept.answer.z) << solver << ' ' << k;
      EXPECT_EQ(fresh.status, kept.status) << solver << ' ' << k;
      if (k % 2 == 0) continue;  // every problem twice
      for (double& x : std::get<Lcp>(problem.data).q) x += 1e-3 * random.normal();
    }
  }
}

TEST(SessionOfMethods, AutoIsASolver) {
  const std::unique_ptr<Solver> solver = make_solver("auto");
  EXPECT_EQ(solver->traits().name, "auto");
  for (const char* family : {"contact-pile", "box-qp", "socp", "random-ncp", "friction-pile"}) {
    const Problem problem = generate(find_family(family), 12, 1);
    EXPECT_FALSE(solver->refusal(problem)) << family;
    solver->prepare(problem);
    const Result& r = solver->solve();
    EXPECT_EQ(r.status, Status::kSolved) << family;
    EXPECT_TRUE(verify(problem, {r.z, r.dual}, 1e-8).solved) << family;
    EXPECT_FALSE(r.route.empty()) << family;
    EXPECT_EQ(solve_verified(problem, {}).answer.z, r.z) << family;
  }
  EXPECT_THROW(set_setting(*solver, "magic", "1"), std::invalid_argument);
  set_setting(*solver, "ties", "largest-pivot");  // of lemke
  const Problem problem = generate(find_family("contact-stack"), 2, 1);
  solver->prepare(problem);
  EXPECT_NE(solver->solve().route.front().settings.str().find("ties=largest-pivot"),
            std::string::npos);
}

// The problem of a stack that stays at rest: the answer of the last step is one of this step.
TEST(SessionOfMethods, NothingIsFactorisedAtRest) {
  for (const char* family : {"contact-stack", "friction-stack"}) {
    const Problem problem = generate(find_family(family), 30, 1);
    SolveRequest request;
    Session session(request);
    double factorisations = 0.0;
    for (int step = 0; step < 101; ++step) {
      const VerifiedResult& r = session.solve(problem, request);
      ASSERT_EQ(r.status, Status::kSolved) << family << ' ' << step;
      ASSERT_TRUE(verify(problem, r.answer, 1e-8).solved);
      for (const auto& [name, value] : r.statistics) {
        if (step > 0 && name == "factorisations") factorisations += value;
      }
      request.start = r.answer.z;
    }
    EXPECT_LE(factorisations, 1.0) << family;
  }
}

TEST(StrategyWarm, GoesOnWithoutAStartThatLeadsNowhere) {
  const Problem problem = two_by_two(2, -1);
  SolveRequest request;
  request.solver = "warm(pgs:patience=1)";
  request.start = vector({1e300, 1e300});
  const VerifiedResult r = solve_verified(problem, request);
  EXPECT_EQ(r.status, Status::kSolved);
  EXPECT_EQ(r.route.size(), 2u);
  request.start = vector({0.5, 0.5});
  EXPECT_EQ(solve_verified(problem, request).route.size(), 1u);
  request.start.reset();
  EXPECT_EQ(solve_verified(problem, request).route.size(), 1u);
}

TEST(StrategyCertify, ProvesWhatPgsCannot) {
  const Problem none = problem_of(Lcp{matrix(1, 1, {-1}), vector({-1})});
  SolveRequest request;
  request.limits.max_iterations = 50;
  request.solver = "certify(lemke)";
  const VerifiedResult r = solve_verified(none, request);
  EXPECT_EQ(r.status, Status::kInfeasible);
  ASSERT_TRUE(r.certificate);
  EXPECT_TRUE(r.certificate->checked);
  EXPECT_TRUE(check_farkas(std::get<Lcp>(none.data), r.certificate->y).holds);
  request.solver = "pgs";
  const Problem rows = problem_of(Lcp{matrix(2, 2, {1, -2, -2, 1}), vector({-1, -1})});
  ASSERT_NE(solve_verified(rows, request).status, Status::kSolved);
  request.solver = "certify(pgs)";
  EXPECT_EQ(solve_verified(rows, request).status, Status::kInfeasible);
  EXPECT_EQ(solve_verified(two_by_two(2, -1), request).status, Status::kSolved);
}

// A cap of the strategy is no wish of the caller: what ends there is asked, too.
TEST(StrategyCertify, AsksAfterACapButNotAfterTheCallersLimit) {
  const Problem none = generate(find_family("infeasible"), 60, 1);
  SolveRequest request;
  request.solver = "certify(try(lemke, cap=3))";
  EXPECT_EQ(solve_verified(none, request).status, Status::kInfeasible);
  request.solver = "certify(lemke)";
  request.limits.max_iterations = 3;
  EXPECT_EQ(solve_verified(none, request).status, Status::kIterationLimit);
}

TEST(SessionOfMethods, ForgetsTheLimitsOfTheLastTask) {
  SolveRequest request;
  request.solver = "pgs:patience={1000*n}";  // read anew for each number of unknowns
  Session session(request);
  SolveRequest hasty = request;
  hasty.limits.max_iterations = 1;
  hasty.limits.tolerance = 1e-2;
  session.solve(two_by_two(2, -1), hasty);
  const Problem one =
      problem_of(Mlcp{matrix(3, 3, {4, 1, 0, 1, 4, 1, 0, 1, 4}), vector({-1, -2, -3}),
                      vector({-kInf, -kInf, -kInf}), vector({kInf, kInf, kInf})});
  const VerifiedResult alone = solve_verified(one, request);
  ASSERT_EQ(alone.status, Status::kSolved);
  ASSERT_GT(alone.iterations, 1);
  const VerifiedResult& r = session.solve(one, request);
  EXPECT_EQ(r.status, Status::kSolved);
  EXPECT_EQ(r.iterations, alone.iterations);
}

TEST(SessionOfMethods, WhatIsVacuousFollowsTheStoredStart) {
  SolveRequest request;
  request.look_for_vacuous = true;
  request.stored_start = false;
  Session session(request);
  Problem problem = two_by_two(2, -1);
  const Vector solution = solve_verified(problem, request).answer.z;
  for (const bool right : {true, false, true}) {
    problem.start = right ? solution : Vector(solution.array() + 1.0);
    const Vacuous expected = right ? Vacuous::kStart : Vacuous::kNo;
    EXPECT_EQ(session.solve(problem, request).verdict.vacuous, expected);
    EXPECT_EQ(solve_verified(problem, request).verdict.vacuous, expected);
  }
}

// Before plans look at the problem, and again if it is posed again.
TEST(SessionOfMethods, RefusesAMalformedProblemEachTime) {
  Problem problem = generate(find_family("contact-pile"), 4, 1);
  auto& lcp = std::get<Lcp>(problem.data);
  const Eigen::Index n = lcp.q.size();
  lcp.q.conservativeResize(n + 200);
  lcp.q.tail(200).setZero();
  Session session({});
  for (int k = 0; k < 2; ++k) EXPECT_THROW(session.solve(problem, {}), std::invalid_argument);
  EXPECT_THROW(solve_verified(problem, {}), std::invalid_argument);
}

// A problem that is refused leaves what is prepared as it was.
TEST(SessionOfMethods, ARefusedProblemIsNotWhatIsPrepared) {
  SolveRequest request;
  request.solver = "pgs";
  Session session(request);
  const auto solve = [&](const DenseMatrix& m) {
    return session.solve(problem_of(Lcp{m, Vector(Vector::Constant(m.rows(), -1.0))}), request)
        .status;
  };
  const DenseMatrix two = 2.0 * DenseMatrix::Identity(2, 2),
                    three = 2.0 * DenseMatrix::Identity(3, 3);
  DenseMatrix singular = three;
  singular(0, 0) = 0.0;
  EXPECT_EQ(solve(two), Status::kSolved);
  EXPECT_EQ(solve(singular), Status::kUnsupported);
  EXPECT_EQ(solve(three), Status::kSolved);
  EXPECT_EQ(solve(singular), Status::kUnsupported);
  EXPECT_EQ(solve(two), Status::kSolved);
}

}  // namespace
}  // namespace perp::test
