// The strategy proximal on nonlinear problems.
#include "support.hpp"

#include <perp/problems/expression/expr.hpp>
#include <perp/problems/standard/mcp_function.hpp>
#include <perp/solvers/router.hpp>
#include <perp/solvers/session.hpp>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace perp::test {
namespace {

constexpr int kSupports = 6;

// A body of mass 1 that gravity presses on several supports of the same height: only the sum of
// their forces is unique, and F rises more than linearly. z = (v, forces).
Problem redundant_supports() {
  Mcp mcp;
  {
    Recorder recorder;
    const ExprVector z = recorder.variables(1 + kSupports), weight = recorder.parameters(1);
    ExprVector rows(1 + kSupports);
    rows[0] = z[0] + weight[0];
    for (int i = 1; i <= kSupports; ++i) {
      rows[0] = rows[0] - z[i];
      rows[i] = z[0] + z[0] * z[0] * z[0];
    }
    mcp.graph = std::make_shared<const ExpressionGraph>(recorder.graph(rows));
  }
  mcp.parameters = Vector::Ones(1);
  mcp.lower = Vector::Zero(1 + kSupports);
  mcp.lower[0] = -kInf;
  mcp.upper = Vector::Constant(1 + kSupports, kInf);
  return problem_of(mcp);
}

SolveRequest request_of(const std::string& solver) {
  SolveRequest request;
  request.solver = solver;
  return request;
}

// The supports may share the weight as they like; from a start they keep their differences, as the
// proximal terms pull all alike.
TEST(NonlinearProximal, SolvesASingularProblemNearTheStart) {
  SolveRequest request = request_of("proximal(newton-fb)");
  for (const double more : {0.0, 0.1}) {
    Vector start = Vector::Zero(1 + kSupports);
    start[1] = more;
    request.start = start;
    const VerifiedResult r = solve_verified(redundant_supports(), request);
    ASSERT_EQ(r.status, Status::kSolved) << r.message;
    EXPECT_GT(r.route.size(), 2u);
    EXPECT_EQ(r.route.back().solver.str(), "proximal");
    EXPECT_NEAR(r.answer.z[0], 0.0, 1e-7);
    for (int i = 1; i <= kSupports; ++i)
      EXPECT_NEAR(r.answer.z[i], (1.0 - more) / kSupports + (i == 1 ? more : 0.0), 1e-6) << i;
  }
}

// Looks at the inner problem, and gives the start back; newton-fb solves what shall be solved.
class Looking final : public Solver {
 public:
  using Look = std::function<bool(const Mcp& inner, const Vector& start)>;
  explicit Looking(Look look) : look_(std::move(look)) {
    traits_ = {"looking", "scripted", "", {"mcp"}};
  }
  const SolverTraits& traits() const override { return traits_; }
  void visit_settings(SettingVisitor&) override {}

 private:
  void do_prepare(const Problem& problem) override {
    inner_ = std::get<Mcp>(problem.data);
    newton_->prepare(problem);
  }
  void do_solve(const Start& start, Observer*, Result& result) override {
    const bool solve = look_(inner_, *start.z);
    result.z = solve ? newton_->solve(start).z : *start.z;
    result.status = solve ? Status::kSolved : Status::kStalled;
  }

  Look look_;
  std::unique_ptr<Solver> newton_ = make_solver("newton-fb");
  SolverTraits traits_;
  Mcp inner_;
};

// The inner problem is F + rho (z - c) with its Jacobian, and c is the start. @return rho
double rho_of(const Mcp& posed, const Mcp& inner, const Vector& start) {
  Random random(1);
  const Vector z = start + gaussian(random, static_cast<int>(start.size()), 1);
  const Vector added = inner.evaluate(z) - posed.evaluate(z);
  const double rho = added[0] / (z[0] - start[0]);
  EXPECT_LE((added - rho * (z - start)).cwiseAbs().maxCoeff(), 1e-12 * (1 + rho));
  McpFunction shifted(inner), own(posed);
  SparseMatrix of_inner = shifted.pattern(), of_posed = own.pattern();
  shifted.evaluate_jacobian(z, of_inner.valuePtr());
  own.evaluate_jacobian(z, of_posed.valuePtr());
  DenseMatrix difference = DenseMatrix(of_inner) - DenseMatrix(of_posed);
  difference.diagonal().array() -= rho;
  EXPECT_LE(difference.cwiseAbs().maxCoeff(), 1e-12 * (1 + rho));
  EXPECT_EQ(inner.lower, posed.lower);
  EXPECT_EQ(inner.upper, posed.upper);
  return rho;
}

constexpr double kNever = std::numeric_limits<double>::infinity();

// The rho of all steps if the inner solver solves problems from `least` rho on, and no others.
std::vector<double> rhos_of(double least, const std::string& solver, VerifiedResult& result) {
  const Problem problem = redundant_supports();
  std::vector<double> rhos;
  SolveRequest request = request_of(solver);
  request.start = Vector::Constant(1 + kSupports, 0.5);
  request.make = [&](std::string_view) {
    return std::make_unique<Looking>([&](const Mcp& inner, const Vector& start) {
      rhos.push_back(rho_of(std::get<Mcp>(problem.data), inner, start));
      return rhos.back() >= least;
    });
  };
  result = solve_verified(problem, request);
  return rhos;
}

// The largest entry of the Jacobian at v = 1/2 is 1 + 3 / 4.
TEST(NonlinearProximal, ShiftsTheProblemByRhoTimesTheLargestEntry) {
  VerifiedResult r;
  const std::vector<double> rhos = rhos_of(kNever, "proximal(looking, rho=.5, steps=1)", r);
  ASSERT_EQ(rhos.size(), 1u);
  EXPECT_NEAR(rhos[0], 0.5 * 1.75, 1e-12);
}

// If the inner problem is not solved, rho rises, until nothing can move any more.
TEST(NonlinearProximal, RaisesRhoUntilTheInnerProblemIsSolved) {
  VerifiedResult r;
  const std::vector<double> rhos = rhos_of(kNever, "proximal(looking)", r);
  ASSERT_GT(rhos.size(), 2u);
  for (std::size_t k = 1; k < rhos.size(); ++k) EXPECT_GT(rhos[k], 2 * rhos[k - 1]);
  EXPECT_EQ(r.status, Status::kStalled);
  EXPECT_EQ(r.answer.z, Vector::Constant(1 + kSupports, 0.5));  // the start is the best answer
}

// What has failed with a smaller rho is not tried again after the next success.
TEST(NonlinearProximal, WaitsAfterRhoWasTooSmall) {
  VerifiedResult r;
  const double least = 0.01;
  const std::vector<double> rhos = rhos_of(least, "proximal(looking)", r);
  int rises = 0;
  for (std::size_t k = 0; k + 2 < rhos.size(); ++k) {
    if (rhos[k] >= least) continue;
    ++rises;
    EXPECT_GE(rhos[k + 1], least);
    EXPECT_EQ(rhos[k + 2], rhos[k + 1]);
  }
  EXPECT_GE(rises, 2);
}

// Solves F(z) = g + rho (z - c) = 0 with a constant g, and remembers c and z.
class Drifting final : public Solver {
 public:
  explicit Drifting(std::vector<std::pair<double, double>>& steps) : steps_(steps) {
    traits_ = {"drifting", "scripted", "", {"mcp"}};
  }
  const SolverTraits& traits() const override { return traits_; }
  void visit_settings(SettingVisitor&) override {}

 private:
  void do_prepare(const Problem& problem) override { inner_ = std::get<Mcp>(problem.data); }
  void do_solve(const Start& start, Observer*, Result& result) override {
    const Vector& c = *start.z;
    const double g = inner_.evaluate(c)[0], rho = inner_.evaluate(c.array() + 1.0)[0] - g;
    result.z = c.array() - g / rho;
    result.status = Status::kSolved;
    steps_.emplace_back(c[0], result.z[0]);
  }

  std::vector<std::pair<double, double>>& steps_;
  SolverTraits traits_;
  Mcp inner_;
};

// z moves by the same F / rho in each step until it is at its bound, far away: centres go ahead of
// the answers by 1, 2, 4, ... and at last 64 moves.
TEST(NonlinearProximal, GoesAheadOfAnswersThatDrift) {
  Mcp mcp;
  {
    Recorder recorder;
    const ExprVector z = recorder.variables(1);
    ExprVector rows(1);
    rows[0] = 0.0 * z[0] - 1e-3;
    mcp.graph = std::make_shared<const ExpressionGraph>(recorder.graph(rows));
  }
  mcp.lower = Vector::Zero(1);
  mcp.upper = Vector::Constant(1, 1e9);
  std::vector<std::pair<double, double>> steps;
  SolveRequest request = request_of("proximal(drifting, steps=11)");
  request.make = [&](std::string_view) { return std::make_unique<Drifting>(steps); };
  solve_verified(problem_of(mcp), request);
  ASSERT_EQ(steps.size(), 11u);
  for (std::size_t k = 0; k + 1 < steps.size(); ++k) {
    const auto [c, z] = steps[k];
    const double ahead = k == 0 ? 0.0 : std::min(64.0, std::pow(2.0, static_cast<double>(k) - 1));
    EXPECT_NEAR(steps[k + 1].first, z + ahead * (z - c), 1e-9 * z) << k;
  }
}

TEST(NonlinearProximal, NeedsNoStepIfTheStartSolvesTheProblem) {
  SolveRequest request = request_of("proximal(newton-fb)");
  Vector start = Vector::Zero(1 + kSupports);
  start[1] = 1.0;
  request.start = start;
  const VerifiedResult r = solve_verified(redundant_supports(), request);
  EXPECT_EQ(r.status, Status::kSolved);
  EXPECT_EQ(r.route.size(), 1u);
  EXPECT_EQ(r.answer.z, start);
}

// z^2 + 1 = 0.
Problem without_solution() {
  Mcp mcp;
  {
    Recorder recorder;
    const ExprVector z = recorder.variables(1);
    ExprVector rows(1);
    rows[0] = z[0] * z[0] + 1.0;
    mcp.graph = std::make_shared<const ExpressionGraph>(recorder.graph(rows));
  }
  mcp.lower = Vector::Constant(1, -kInf);
  mcp.upper = Vector::Constant(1, kInf);
  return problem_of(mcp);
}

TEST(NonlinearProximal, EndsWithTheBestAnswerIfThereIsNoSolution) {
  SolveRequest request = request_of("proximal(newton-fb)");
  request.start = Vector::Constant(1, 3.0);
  const VerifiedResult r = solve_verified(without_solution(), request);
  EXPECT_EQ(r.status, Status::kStalled);
  EXPECT_FALSE(r.verdict.solved);
  EXPECT_LT(std::abs(r.answer.z[0]), 3.0);
  EXPECT_NEAR(r.verdict.measure, r.answer.z[0] * r.answer.z[0] + 1.0, 1e-12);
}

// The first inner problem has no solution either, and a million tries would take minutes.
TEST(NonlinearProximal, EndsAtTheTimeLimit) {
  SolveRequest request =
      request_of("proximal(repeat(1000000, try(newton-fb, cap=1, from=near:0.001:{k})))");
  request.limits.time_limit = 0.2;
  request.start = Vector::Constant(1, 3.0);
  const VerifiedResult r = solve_verified(without_solution(), request);
  EXPECT_EQ(r.status, Status::kTimeLimit) << r.message;
  EXPECT_EQ(r.answer.z.size(), 1);
}

// What is prepared is kept, and the parameters are those of the second problem.
TEST(NonlinearProximal, IsUsedAgainForOtherParameters) {
  const SolveRequest request = request_of("proximal(newton-fb)");
  Problem problem = redundant_supports();
  Session session(request);
  const VerifiedResult first = session.solve(problem, request);
  std::get<Mcp>(problem.data).parameters[0] = 2.0;
  const VerifiedResult second = session.solve(problem, request);
  ASSERT_EQ(second.status, Status::kSolved) << second.message;
  EXPECT_NEAR(second.answer.z.tail(kSupports).sum(), 2.0, 1e-7);
  std::get<Mcp>(problem.data).parameters[0] = 1.0;
  const VerifiedResult third = session.solve(problem, request);
  EXPECT_EQ(third.answer.z, first.answer.z);
  EXPECT_EQ(third.iterations, first.iterations);
}

}  // namespace
}  // namespace perp::test
