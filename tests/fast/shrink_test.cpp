// The smallest problem that still shows what a problem shows.
#include "support.hpp"

#include <perp/bench/shrink/shrink.hpp>
#include <perp/solvers/router.hpp>

namespace perp::test {
namespace {

const Deadline kNoDeadline;

// Two rows that exclude each other in a problem that can be solved otherwise.
TEST(Shrink, FindsAPlantedCore) {
  Random random(7);
  const int n = 24;
  const DenseMatrix a = gaussian(random, n, n);
  DenseMatrix m = a * a.transpose();
  Vector q(n);
  for (double& x : q) x = random.normal();
  m.row(5).setZero();
  m(5, 17) = -0.731;  // -0.731 z_17 >= 0.25
  q[5] = -0.25;
  const Problem problem = problem_of(Lcp{Matrix(m), q});
  const auto infeasible = [](const Problem& p) {
    return solve_verified(p, SolveRequest{}).status == Status::kInfeasible;
  };
  ASSERT_TRUE(infeasible(problem));
  const Shrunk r = shrink(problem, infeasible, kNoDeadline);
  EXPECT_TRUE(r.at_end);
  EXPECT_TRUE(infeasible(r.problem));
  EXPECT_EQ(r.problem.size(), 1);  // 0 z - 0.25 >= 0
  EXPECT_EQ(numbers_of(r.problem), 1);
  EXPECT_EQ(std::get<Lcp>(r.problem.data).q, vector({-1}));
}

// Of every kind: what is asked of a part is found in it.
TEST(Shrink, LeavesThePartOfEachKind) {
  for (const char* name : {"friction-stack", "compliant-pile", "socp", "box-qp", "contact-stack"}) {
    const Problem problem = generate(find_family(name), 0, 2);
    const long before = numbers_of(problem);
    // Something that one entry has: a vector's largest number.
    const auto shows = [](const Problem& p) {
      return std::visit(
          [](const auto& d) {
            using P = std::decay_t<decltype(d)>;
            if constexpr (std::is_same_v<P, FrictionContact>) return d.q.cwiseAbs().maxCoeff() > 0;
            if constexpr (std::is_same_v<P, ConvexContact>) return d.mu.maxCoeff() > 0;
            if constexpr (std::is_same_v<P, ConicQp>) return d.b.cwiseAbs().sum() > 0;
            if constexpr (std::is_same_v<P, BoxQp>) return d.c.cwiseAbs().sum() > 0;
            if constexpr (std::is_same_v<P, Lcp>) return d.q.minCoeff() < 0;
            return false;
          },
          p.data);
    };
    ASSERT_TRUE(shows(problem)) << name;
    const Shrunk r = shrink(problem, shows, kNoDeadline);
    EXPECT_TRUE(r.at_end) << name;
    EXPECT_TRUE(shows(r.problem)) << name;
    validate(r.problem);
    EXPECT_LE(r.problem.size(), 3) << name;
    EXPECT_LT(numbers_of(r.problem), std::max(10L, before / 10)) << name;
  }
}

TEST(Shrink, FixesUnknownsOfGraphs) {
  ExpressionGraph g;
  std::vector<int> z;
  for (int i = 0; i < 6; ++i) z.push_back(g.add_leaf(Operation::kVariable, i));
  for (int i = 0; i < 6; ++i)
    g.outputs.push_back(i == 3 ? g.add(Operation::kLog, {z[3]})
                               : g.add(Operation::kSubtract, {z[i], g.add_constant(1.0)}));
  Mcp mcp;
  mcp.graph = std::make_shared<const ExpressionGraph>(g);
  mcp.parameters = Vector(0);
  mcp.lower = Vector::Constant(6, -kInf);
  mcp.upper = Vector::Constant(6, kInf);
  const auto not_finite = [](const Problem& p) {
    const auto& m = std::get<Mcp>(p.data);
    return !m.evaluate(Vector::Constant(p.size(), -1.0)).allFinite();
  };
  const Shrunk r = shrink(problem_of(mcp), not_finite, kNoDeadline);
  EXPECT_EQ(r.problem.size(), 1);
  EXPECT_TRUE(not_finite(r.problem));
}

TEST(Shrink, StopsInTime) {
  const Problem problem = generate(find_family("contact-stack"), 0, 1);
  const Deadline over(1e-9);
  const Shrunk r = shrink(
      problem, [](const Problem&) { return true; }, over);
  EXPECT_FALSE(r.at_end);
  EXPECT_EQ(r.tries, 0);
  EXPECT_EQ(r.problem.size(), problem.size());
}

}  // namespace
}  // namespace perp::test
