// Islands of nonlinear problems, and the strategy that solves them apart.
#include "random_graph.hpp"

#include <perp/problems/standard/islands.hpp>
#include <perp/solvers/router.hpp>
#include <perp/solvers/session.hpp>

#include <algorithm>
#include <memory>
#include <numeric>

namespace perp::test {
namespace {

// An mcp whose rows and unknowns are those of several parts, mixed. In every row of a part is the
// norm of its unknowns, so no part falls into smaller ones. p[0] is in all rows.
struct Mixed {
  Mcp problem;
  std::vector<std::vector<int>> parts;
};

Mixed mixed_parts(Random& random, const std::vector<int>& sizes) {
  Mixed mixed;
  const int n = std::accumulate(sizes.begin(), sizes.end(), 0);
  std::vector<int> places(static_cast<std::size_t>(n));
  std::iota(places.begin(), places.end(), 0);
  for (int i = n - 1; i > 0; --i)
    std::swap(places[static_cast<std::size_t>(i)],
              places[static_cast<std::size_t>(random.index(i + 1))]);
  const int count = static_cast<int>(sizes.size());
  {
    Recorder recorder;
    const ExprVector z = recorder.variables(n), p = recorder.parameters(count + 1);
    ExprVector rows(n);
    auto place = places.begin();
    for (int k = 0; k < count; ++k) {
      std::vector<int> part(place, place + sizes[static_cast<std::size_t>(k)]);
      place += static_cast<std::ptrdiff_t>(part.size());
      std::sort(part.begin(), part.end());
      ExprVector own(std::ssize(part)), numbers(2);
      for (std::size_t i = 0; i < part.size(); ++i) own[static_cast<int>(i)] = z[part[i]];
      numbers << p[0] * 2.0, p[count - k];
      const ExprVector f =
          random_functions(random, own, numbers, 20, static_cast<int>(part.size()));
      const Expr all = norm(std::span<const Expr>(own.data(), part.size()));
      for (std::size_t i = 0; i < part.size(); ++i)
        rows[part[i]] = f[static_cast<int>(i)] + 2.0 * z[part[i]] + 0.01 * all + p[0] * 2.0;
      mixed.parts.push_back(part);
    }
    mixed.problem.graph = std::make_shared<const ExpressionGraph>(recorder.graph(rows));
  }
  mixed.problem.parameters = gaussian(random, count + 1, 1);
  mixed.problem.lower = Vector::Zero(n);
  mixed.problem.upper = Vector::Constant(n, kInf);
  std::sort(mixed.parts.begin(), mixed.parts.end());
  return mixed;
}

// z_0 + z_1 - 2 = 0, z_0 - z_1 = 0 with the solution (1, 1); z_2^3 - 8 = 0 with the solution 2; and
// z_3^2 + lowest = 0, which has no solution if lowest > 0.
Problem three_islands(double lowest) {
  Mcp mcp;
  {
    Recorder recorder;
    const ExprVector z = recorder.variables(4);
    ExprVector rows(4);
    rows << z[0] + z[1] - 2.0, z[0] - z[1], pow(z[2], 3.0) - 8.0, pow(z[3], 2.0) + lowest;
    mcp.graph = std::make_shared<const ExpressionGraph>(recorder.graph(rows));
  }
  mcp.lower = Vector::Constant(4, -kInf);
  mcp.upper = Vector::Constant(4, kInf);
  return problem_of(mcp);
}

VerifiedResult solve(const Problem& problem, const std::string& solver, const Vector& start) {
  SolveRequest request;
  request.solver = solver;
  request.start = start;
  return solve_verified(problem, request);
}

std::vector<std::string> solvers_of(const VerifiedResult& r) {
  std::vector<std::string> names;
  for (const RouteStep& step : r.route) names.push_back(step.solver.str());
  return names;
}

TEST(FindIslands, AreThePartsThatWereMixed) {
  Random random(1);
  for (int round = 0; round < 20; ++round) {
    std::vector<int> sizes(static_cast<std::size_t>(1 + random.index(6)));
    for (int& size : sizes) size = 1 + random.index(7);
    const Mixed mixed = mixed_parts(random, sizes);
    const std::vector<McpPart> islands = find_islands(mixed.problem);
    ASSERT_EQ(islands.size(), mixed.parts.size());
    for (std::size_t k = 0; k < islands.size(); ++k) EXPECT_EQ(islands[k].unknowns, mixed.parts[k]);
  }
}

TEST(FindIslands, HaveTheRowsAndBoundsOfTheWhole) {
  Random random(2);
  for (int round = 0; round < 20; ++round) {
    Mixed mixed = mixed_parts(random, {3, 1, 5, 4});
    mixed.problem.lower = gaussian(random, 13, 1);
    mixed.problem.upper = mixed.problem.lower.array() + 1.0;
    const Vector z = gaussian(random, 13, 1);
    const Vector f = mixed.problem.evaluate(z);
    for (const McpPart& island : find_islands(mixed.problem)) {
      const Mcp part = perp::problem_of(island, mixed.problem, z);
      EXPECT_NO_THROW(validate(part));
      EXPECT_EQ(part.evaluate(entries_of(island, z)), entries_of(island, f));
      EXPECT_EQ(part.lower, entries_of(island, mixed.problem.lower));
      EXPECT_EQ(part.upper, entries_of(island, mixed.problem.upper));
    }
  }
}

// A row that reads no unknown, a row that reads only that of another row, z - z, an expression that
// two rows share.
TEST(FindIslands, FollowTheGraph) {
  ExpressionGraph graph;
  int z[7];
  for (int i = 0; i < 7; ++i) z[i] = graph.add_leaf(Operation::kVariable, i);
  const int one = graph.add_constant(1.0);
  const int p = graph.add_leaf(Operation::kParameter, 0);
  const int known = graph.add(Operation::kAdd, {p, one});  // in two islands
  const int zero = graph.add(Operation::kSubtract, {z[4], z[4]});
  const int shared = graph.add(Operation::kSin, {z[6]});
  graph.outputs = {known,
                   graph.add(Operation::kMultiply, {z[2], known}),
                   one,
                   graph.add(Operation::kAdd, {z[3], zero}),
                   p,
                   shared,
                   graph.add(Operation::kAdd, {shared, known})};
  Mcp mcp;
  mcp.graph = std::make_shared<const ExpressionGraph>(graph);
  mcp.parameters = Vector{{3.0}};
  mcp.lower = Vector::Zero(7);
  mcp.upper = Vector::Ones(7);
  const std::vector<McpPart> islands = find_islands(mcp);
  ASSERT_EQ(islands.size(), 4u);
  EXPECT_EQ(islands[0].unknowns, std::vector<int>{0});
  EXPECT_EQ(islands[1].unknowns, (std::vector<int>{1, 2}));
  EXPECT_EQ(islands[2].unknowns, (std::vector<int>{3, 4}));
  EXPECT_EQ(islands[3].unknowns, (std::vector<int>{5, 6}));
  EXPECT_EQ(islands[0].parameters, std::vector<int>{0});
}

TEST(FindIslands, OfAWrongGraphAreRefused) {
  Mcp mcp;
  EXPECT_THROW(find_islands(mcp), std::invalid_argument);
  ExpressionGraph graph;
  graph.outputs = {graph.add_leaf(Operation::kVariable, 3)};
  mcp.graph = std::make_shared<const ExpressionGraph>(graph);
  mcp.lower = mcp.upper = Vector::Zero(1);
  EXPECT_THROW(find_islands(mcp), std::invalid_argument);
}

TEST(IslandsStrategy, SolvesThePartsApart) {
  const Problem problem = three_islands(-9.0);
  const VerifiedResult r = solve(problem, "islands(newton-fb)", Vector{{5.0, 5.0, 5.0, 5.0}});
  EXPECT_EQ(r.status, Status::kSolved) << r.message;
  EXPECT_LT((r.answer.z - Vector{{1.0, 1.0, 2.0, 3.0}}).norm(), 1e-7);
  EXPECT_TRUE(verify(problem, r.answer, 1e-8).solved);
  EXPECT_EQ(solvers_of(r),
            (std::vector<std::string>{"newton-fb on island 1", "newton-fb on island 2",
                                      "newton-fb on island 3", "islands"}));
  int iterations = 0;
  for (const RouteStep& step : r.route)
    iterations += step.solver.str() == "islands" ? 0 : step.iterations;
  EXPECT_EQ(r.iterations, iterations);
}

TEST(IslandsStrategy, KeepsWhatTheAnswerBeforeSolves) {
  const Problem problem = three_islands(-9.0);
  // The start solves the second island; the first try ends at its cap.
  const VerifiedResult r = solve(problem, "first(try(newton-fb, cap=1), islands(newton-fb))",
                                 Vector{{1.0, 1.0, 2.0, 40.0}});
  EXPECT_EQ(r.status, Status::kSolved) << r.message;
  EXPECT_EQ(solvers_of(r),
            (std::vector<std::string>{"newton-fb", "newton-fb on island 3", "islands"}));
}

TEST(IslandsStrategy, OneWithoutASolutionLeavesTheOthersSolved) {
  const Problem problem = three_islands(1.0);
  const VerifiedResult r = solve(problem, "islands(newton-fb)", Vector{{5.0, 5.0, 5.0, 5.0}});
  EXPECT_NE(r.status, Status::kSolved);
  EXPECT_FALSE(r.verdict.solved);
  EXPECT_NE(r.message.find("island 3 of 3"), std::string::npos) << r.message;
  EXPECT_LT((r.answer.z.head(3) - Vector{{1.0, 1.0, 2.0}}).norm(), 1e-7);
  EXPECT_EQ(r.route.back().measure, r.verdict.measure);
}

// The natural residual of 0 <= z, 1/z - 5 >= 0 is small near 0, but the verifier is not taken in.
TEST(IslandsStrategy, DoesNotKeepAFalseSolution) {
  Mcp mcp;
  {
    Recorder recorder;
    const ExprVector z = recorder.variables(2);
    ExprVector rows(2);
    rows << 1.0 / z[0] - 5.0, z[1] - 3.0;
    mcp.graph = std::make_shared<const ExpressionGraph>(recorder.graph(rows));
  }
  mcp.lower = Vector::Zero(2);
  mcp.upper = Vector::Constant(2, kInf);
  const VerifiedResult r =
      solve(problem_of(mcp), "first(start, islands(first(start, try(newton-fb, from=random:1))))",
            Vector{{1e-12, 1.0}});
  const bool tried = std::ranges::count(solvers_of(r), "start on island 1") > 0;
  EXPECT_TRUE(tried);
  if (r.status == Status::kSolved) {
    EXPECT_NEAR(1.0 / r.answer.z[0], 5.0, 1e-6);
  }
  EXPECT_NEAR(r.answer.z[1], 3.0, 1e-6);
}

// Problems of one island go to the part as they are. They must not be taken for islands that it had
// before.
TEST(IslandsStrategy, ProblemsOfOneIslandAndOfSeveralInTurn) {
  Random random(4);
  for (const char* solver : {"islands(newton-fb)", "islands(islands(newton-fb))",
                             "islands(eliminate(newton-fb, newton-fb))"}) {
    SolveRequest request;
    request.solver = solver;
    Session session(request);
    for (const std::vector<int>& sizes :
         std::vector<std::vector<int>>{{4}, {3, 3}, {3}, {3, 2, 4}, {4}, {4}, {3, 3}, {3}}) {
      const Problem problem = problem_of(mixed_parts(random, sizes).problem);
      const VerifiedResult alone = solve_verified(problem, request);
      ASSERT_EQ(alone.status, Status::kSolved);
      const VerifiedResult& together = session.solve(problem, request);
      EXPECT_EQ(together.status, Status::kSolved) << solver;
      EXPECT_EQ(together.answer.z, alone.answer.z) << solver;
    }
  }
}

TEST(IslandsStrategy, ASingleIslandIsSolvedAsItIs) {
  Random random(3);
  const Problem problem = problem_of(mixed_parts(random, {6}).problem);
  const Vector start = Vector::Ones(6);
  const VerifiedResult a = solve(problem, "islands(newton-fb)", start),
                       b = solve(problem, "newton-fb", start);
  EXPECT_EQ(a.answer.z, b.answer.z);
  EXPECT_EQ(solvers_of(a), solvers_of(b));
  const Problem lcp = generate(find_family("contact-pile"), 3, 1);
  SolveRequest request;
  request.solver = "islands(lemke)";
  EXPECT_EQ(solvers_of(solve_verified(lcp, request)), std::vector<std::string>{"lemke"});
}

TEST(IslandsStrategy, EndsInTime) {
  const Problem problem = three_islands(1.0);
  SolveRequest request;
  request.solver = "islands(repeat(1000000, try(newton-fb, from=random:{k})))";
  request.limits.time_limit = 0.2;
  const VerifiedResult r = solve_verified(problem, request);
  EXPECT_FALSE(r.verdict.solved);
  EXPECT_LT(r.setup_time + r.solve_time, 2.0);
  EXPECT_GT(r.setup_time + r.solve_time, 0.1);
}

}  // namespace
}  // namespace perp::test
