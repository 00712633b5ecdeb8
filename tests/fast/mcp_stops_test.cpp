// Where solvers of nonlinear problems stop: not at poles, where a residual vanishes without an
// answer.
#include "support.hpp"

#include <perp/solvers/box/bound_signs.hpp>
#include <perp/solvers/josephy_newton/josephy_newton.hpp>
#include <perp/solvers/registry.hpp>
#include <perp/solvers/semismooth_newton/newton_fb.hpp>

namespace perp::test {
namespace {

Problem scalar_problem(const std::function<double(double)>& f,
                       const std::function<double(double)>& d) {
  Mcp mcp;
  mcp.callback = [f](const Vector& z, Vector& out) { out[0] = f(z[0]); };
  mcp.jacobian = [d](const Vector& z, double* out) { out[0] = d(z[0]); };
  mcp.lower = Vector::Zero(1);
  mcp.upper = Vector::Constant(1, kInf);
  return problem_of(std::move(mcp));
}

bool signs_hold(const Problem& problem, const Vector& z, double tolerance) {
  const Mcp& mcp = std::get<Mcp>(problem.data);
  BoundSigns signs;
  return signs.hold(z, mcp.evaluate(z), mcp.lower, mcp.upper, tolerance,
                    [&](const Vector& p, Vector& f) {
                      f = mcp.evaluate(p);
                      return f.allFinite();
                    });
}

TEST(BoundSigns, TellPolesFromAnswers) {
  const Problem pole = scalar_problem([](double z) { return 1.0 / z - 5.0; },
                                      [](double z) { return -1.0 / (z * z); });
  for (const double z : {0.0, 1e-9, -1e-9}) EXPECT_FALSE(signs_hold(pole, vector({z}), 1e-8)) << z;
  EXPECT_TRUE(signs_hold(pole, vector({0.2}), 1e-8));
  const Problem line = scalar_problem([](double z) { return z + 1.0; }, [](double) { return 1.0; });
  EXPECT_TRUE(signs_hold(line, vector({0.0}), 1e-8));
  EXPECT_TRUE(signs_hold(line, vector({-1e-9}), 1e-8));
  const Problem steep =
      scalar_problem([](double z) { return 1e10 * (z - 5e-10); }, [](double) { return 1e10; });
  EXPECT_FALSE(signs_hold(steep, vector({1e-9}), 1e-8));  // F = 5, and -5 at the bound
  EXPECT_TRUE(signs_hold(steep, vector({5e-10}), 1e-8));
}

class McpSolver : public testing::TestWithParam<std::string> {
 protected:
  Result solve(const Problem& problem, const std::optional<Vector>& start,
               double tolerance = 1e-8) {
    const std::unique_ptr<Solver> solver = make_solver(GetParam());
    solver->limits.tolerance = tolerance;
    solver->prepare(problem);
    const Result& r = solver->solve(start ? &*start : nullptr);
    return r;
  }
};

// F(z) at the solution 0.2 of 0 <= z, 1/z - 5 >= 0; the residual vanishes towards 0 as well.
TEST_P(McpSolver, LeavesThePoleAtABound) {
  const Problem pole = scalar_problem([](double z) { return 5.0 - 1.0 / z; },
                                      [](double z) { return 1.0 / (z * z); });
  for (const double start : {1e-9, 1e-3, 0.1, 3.0}) {
    const Result r = solve(pole, vector({start}));
    if (start == 3.0 && GetParam() == "newton-fb") {  // ends at the pole, and does not claim it
      EXPECT_EQ(r.status, Status::kStalled);
      EXPECT_NE(r.message.find("poles"), std::string::npos) << r.message;
      continue;
    }
    ASSERT_EQ(r.status, Status::kSolved) << start << r.message;
    EXPECT_NEAR(r.z[0], 0.2, 1e-8) << start;
  }
  const Problem falling = scalar_problem([](double z) { return 1.0 / z - 5.0; },
                                         [](double z) { return -1.0 / (z * z); });
  for (const double start : {1e-10, 1e-9, 1e-3, 0.1, 0.5}) {
    const Result r = solve(falling, vector({start}));
    if (r.status == Status::kSolved) {
      EXPECT_NEAR(r.z[0], 0.2, 1e-7) << start;
    }
    EXPECT_TRUE(r.z.allFinite());
    EXPECT_FALSE(r.status == Status::kSolved && !signs_hold(falling, r.z, 1e-8)) << start;
  }
}

// Claimed beyond a pole with complementarity 4.5, or at bounds where F is of another sign.
TEST_P(McpSolver, SolvesWalrasianMarketsWherePricesVanish) {
  struct Case {
    const char* name;
    bool stored;
  };
  for (const auto& [name, stored] :
       {Case{"mathiesen-numeraire-hundreds", true}, Case{"mathiesen-simplex-even", false},
        Case{"mathiesen-simplex-uneven", false}}) {
    const Problem problem = generate(find_family("mcp-classics"), 0, 1, {}, name);
    const Result r = solve(problem, stored ? problem.start : std::nullopt);
    if (stored && GetParam() == "newton-fb") {  // takes other starts
      EXPECT_EQ(r.status, Status::kStalled) << name;
      continue;
    }
    ASSERT_EQ(r.status, Status::kSolved) << name << ": " << r.message;
    EXPECT_TRUE(verify(problem, {r.z, {}}, 1e-8).solved) << name;
    EXPECT_TRUE(signs_hold(problem, r.z, 1e-8)) << name;
    EXPECT_LE(evaluate_residuals(std::get<Mcp>(problem.data), r.z).complementarity, 1e-6) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, McpSolver, testing::Values("newton-fb", "josephy-newton"),
                         [](const auto& tested) {
                           return tested.param == "newton-fb" ? "newton_fb" : "josephy_newton";
                         });

// A product that is rounded before q is added hides F_0 = 1e15 z_0 + z_1 - 1e15 = 0.05 at (1,
// 0.05); no double comes nearer.
TEST(LcpSolvers, DoNotClaimWhatRoundingHides) {
  const Problem problem = problem_of(Lcp{matrix(2, 2, {1e15, 1, 1, 1}), vector({-1e15, -1.05})});
  const Vector start = vector({1.0, 0.05});
  int asked = 0;
  for (const SolverFactory& make : solver_registry()) {
    const std::unique_ptr<Solver> solver = make();
    if (solver->refusal(problem)) continue;
    ++asked;
    solver->prepare(problem);
    EXPECT_NE(solver->solve(&start).status, Status::kSolved) << solver->traits().name;
    EXPECT_NE(solver->solve().status, Status::kSolved) << solver->traits().name;
  }
  EXPECT_GE(asked, 5);
}

}  // namespace
}  // namespace perp::test
