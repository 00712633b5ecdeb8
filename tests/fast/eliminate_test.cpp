// Parts of nonlinear problems, and the strategy that solves the worst rows apart.
#include "random_graph.hpp"

#include <perp/problems/standard/mcp_part.hpp>
#include <perp/solvers/router.hpp>

#include <memory>

namespace perp::test {
namespace {

Mcp random_mcp(Random& random, int n, int parameters) {
  Mcp mcp;
  {
    Recorder recorder;
    const ExprVector z = recorder.variables(n), p = recorder.parameters(parameters);
    mcp.graph = std::make_shared<const ExpressionGraph>(
        recorder.graph(random_functions(random, z, p, 40, n)));
  }
  mcp.parameters = gaussian(random, parameters, 1);
  mcp.lower = gaussian(random, n, 1);
  mcp.upper = mcp.lower.array() + 1.0;
  return mcp;
}

std::vector<int> random_subset(Random& random, int n) {
  std::vector<int> subset;
  for (int i = 0; i < n; ++i) {
    if (random.uniform() < 0.5) subset.push_back(i);
  }
  return subset;
}

// Whatever the values of a part and of the other unknowns, its rows are those of the whole.
TEST(McpParts, HaveTheRowsOfTheWholeWithTheOthersFixed) {
  Random random(1);
  for (int round = 0; round < 20; ++round) {
    const Mcp whole = random_mcp(random, 9, 3);
    McpParts parts(whole);
    for (int k = 0; k < 3; ++k) {  // the same object makes several parts
      const McpPart part = parts.part(random_subset(random, 9));
      Vector z = gaussian(random, 9, 1);
      const Mcp posed = perp::problem_of(part, whole, z);
      EXPECT_NO_THROW(validate(posed));
      EXPECT_EQ(posed.lower, entries_of(part, whole.lower));
      EXPECT_EQ(posed.upper, entries_of(part, whole.upper));
      const Vector own = gaussian(random, std::ssize(part.unknowns), 1);
      write_entries(part, own, z);
      EXPECT_EQ(entries_of(part, z), own);
      const Vector rows = posed.evaluate(own), of_the_whole = entries_of(part, whole.evaluate(z));
      for (Eigen::Index i = 0; i < rows.size(); ++i)
        EXPECT_TRUE(rows[i] == of_the_whole[i] ||
                    (std::isnan(rows[i]) && std::isnan(of_the_whole[i])));
    }
  }
}

// A row that has a fixed unknown, a parameter and its own unknown, and one that has nothing.
TEST(McpParts, ReadParametersThenFixedUnknowns) {
  Recorder recorder;
  const ExprVector z = recorder.variables(3), p = recorder.parameters(3);
  ExprVector rows(3);
  rows << z[2] * z[0] + p[1], z[1] + 1.0, z[0] - p[2];
  Mcp whole;
  whole.graph = std::make_shared<const ExpressionGraph>(recorder.graph(rows));
  whole.parameters = Vector{{1.0, 2.0, 3.0}};
  whole.lower = Vector::Zero(3);
  whole.upper = Vector::Ones(3);
  McpParts parts(whole);
  const McpPart part = parts.part({2});
  EXPECT_EQ(part.parameters, std::vector<int>{2});
  EXPECT_EQ(part.fixed, std::vector<int>{0});
  EXPECT_EQ(perp::problem_of(part, whole, Vector{{7.0, 8.0, 9.0}}).parameters,
            (Vector{{3.0, 7.0}}));
  const McpPart other = parts.part({0, 2});
  EXPECT_EQ(other.parameters, (std::vector<int>{1, 2}));
  EXPECT_TRUE(other.fixed.empty());
  EXPECT_TRUE(parts.part({}).graph->outputs.empty());
}

// A chain 2 z_i - z_(i-1) - z_(i+1) = 0, at one end of which stands x with
// min(1000 (x - 1), 1 + (x - a)^2) + z_1/100 = 0. |F| has a minimum near x = a, where descent
// stalls; the solution is near x = 1, to which one Newton step leads from any x < 1.
Problem hard_row_in_a_chain(int n, double a) {
  Mcp mcp;
  {
    Recorder recorder;
    const ExprVector z = recorder.variables(n);
    ExprVector rows(n);
    const Expr off = z[0] - a;
    rows[0] = min(1000.0 * (z[0] - 1.0), 1.0 + off * off) + 0.01 * z[1];
    for (int i = 1; i < n; ++i)
      rows[i] = 2.0 * z[i] - z[i - 1] - (i + 1 < n ? z[i + 1] : Expr(1.0));
    mcp.graph = std::make_shared<const ExpressionGraph>(recorder.graph(rows));
  }
  mcp.lower = Vector::Constant(n, -kInf);
  mcp.upper = Vector::Constant(n, kInf);
  return problem_of(mcp);
}

VerifiedResult solve_hard(const std::string& solver, double a = 100.0, double time_limit = 0.0) {
  const Problem problem = hard_row_in_a_chain(50, a);
  SolveRequest request;
  request.solver = solver;
  request.limits.time_limit = time_limit;
  Vector start = Vector::Zero(50);
  start[0] = a + 0.5;
  request.start = start;
  return solve_verified(problem, request);
}

int runs_of(const VerifiedResult& r, const std::string& solver) {
  return static_cast<int>(std::ranges::count_if(
      r.route, [&](const RouteStep& step) { return step.solver.str() == solver; }));
}

TEST(Eliminate, SolvesTheBadRowApart) {
  ASSERT_NE(solve_hard("newton-fb").status, Status::kSolved);  // else this tests nothing
  const VerifiedResult r = solve_hard("eliminate(newton-fb, try(newton-fb, from=zero))");
  EXPECT_EQ(r.status, Status::kSolved) << r.message;
  EXPECT_TRUE(verify(hard_row_in_a_chain(50, 100.0), r.answer, 1e-8).solved);
  EXPECT_NEAR(r.answer.z[0], 1.0, 0.1);
  // The row of x has z_1, whose row has z_0: two unknowns. The whole runs before and after.
  EXPECT_EQ(runs_of(r, "newton-fb from zero on 2 unknowns"), 1);
  EXPECT_EQ(runs_of(r, "newton-fb"), 2);
  int iterations = 0;
  for (const RouteStep& step : r.route) iterations += step.iterations;
  EXPECT_EQ(r.iterations, iterations);
}

TEST(Eliminate, GoesOnFromTheBestAnswerBefore) {
  const VerifiedResult r =
      solve_hard("first(newton-fb, eliminate(newton-fb, try(newton-fb, from=zero)))");
  EXPECT_EQ(r.status, Status::kSolved) << r.message;
  EXPECT_EQ(runs_of(r, "newton-fb"), 2);  // not once more from the start
}

// From the stall itself Newton's method does not solve the part; from some random points it does.
TEST(Eliminate, DrawsPointsAfterRoundsWithoutProgress) {
  const std::string solver = "eliminate(newton-fb, newton-fb, rounds=1000)";
  const VerifiedResult r = solve_hard(solver, 3.0);
  EXPECT_EQ(r.status, Status::kSolved) << r.message;
  EXPECT_GT(runs_of(r, "newton-fb on 2 unknowns"), 1);
  const VerifiedResult again = solve_hard(solver, 3.0);
  EXPECT_EQ(again.answer.z, r.answer.z);
  EXPECT_EQ(again.iterations, r.iterations);
}

TEST(Eliminate, WithoutASolutionOfThePartIsTheBestAnswer) {
  const VerifiedResult alone = solve_hard("newton-fb");
  for (const std::string solver : {"eliminate(newton-fb, try(start, from=start), rounds=5)",
                                   "first(newton-fb, eliminate(newton-fb, start, rounds=5))"}) {
    const VerifiedResult r = solve_hard(solver);
    EXPECT_NE(r.status, Status::kSolved);
    EXPECT_FALSE(r.verdict.solved);
    EXPECT_LE(r.verdict.measure, alone.verdict.measure);
    EXPECT_FALSE(r.message.empty());
  }
}

// A hundred rounds of so many tries would take minutes.
TEST(Eliminate, EndsAtTheTimeLimit) {
  const VerifiedResult r = solve_hard(
      "eliminate(newton-fb, repeat(1000000, try(newton-fb, cap=1, from=near:0.001:{k+round})))",
      100.0, 0.2);
  EXPECT_EQ(r.status, Status::kTimeLimit) << r.message;
  EXPECT_FALSE(r.verdict.solved);
  EXPECT_EQ(r.answer.z.size(), 50);
}

TEST(Eliminate, GivesOtherKindsToTheFirstSolver) {
  const Problem lcp = generate(find_family("contact-pile"), 3, 1);
  SolveRequest request;
  request.solver = "eliminate(lemke, newton-fb)";
  const VerifiedResult r = solve_verified(lcp, request);
  EXPECT_EQ(r.status, Status::kSolved);
  ASSERT_EQ(r.route.size(), 1u);
  EXPECT_EQ(r.route.front().solver.str(), "lemke");
}

TEST(Eliminate, NeedsTwoSolvers) {
  for (const char* wrong : {"eliminate(newton-fb)", "eliminate(newton-fb, lemke, pgs)",
                            "eliminate(newton-fb, newton-fb, speed=1)"})
    EXPECT_THROW(solve_hard(wrong), std::invalid_argument) << wrong;
  EXPECT_THROW(solve_hard("eliminate(newton-fb, newton-fb, share=2)"), std::invalid_argument);
  // Without one of its two parts it is left out.
  const VerifiedResult r = solve_hard(
      "without(first(newton-fb, eliminate(newton-fb, josephy-newton)), part=josephy-newton)");
  EXPECT_EQ(r.route.size(), 1u);
}

}  // namespace
}  // namespace perp::test
