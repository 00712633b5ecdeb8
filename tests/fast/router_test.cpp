// The router: auto's best try, the clock, starts that come with a problem, refusals.
#include "friction_support.hpp"

#include <perp/solvers/router.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>

namespace perp::test {
namespace {

// The least of some runs: other work on the machine only adds.
double seconds_of(const std::function<void()>& work) {
  double least = kInf;
  for (int k = 0; k < 5; ++k) {
    const auto started = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> used = std::chrono::steady_clock::now() - started;
    least = std::min(least, used.count());
  }
  return least;
}

// Takes some kinds, does nothing, and claims zero to be a solution.
class Idle final : public Solver {
 public:
  explicit Idle(std::vector<std::string_view> kinds)
      : traits_{"idle", "does nothing", "", std::move(kinds)} {}
  const SolverTraits& traits() const override { return traits_; }
  void visit_settings(SettingVisitor& visitor) override {
    visitor.visit("restarts", restarts_, "");
  }

 private:
  void do_prepare(const Problem& problem) override { size_ = problem.size(); }
  void do_solve(const Start&, Observer*, Result& result) override {
    result.status = Status::kSolved;
    result.z.setZero(size_);
  }

  SolverTraits traits_;
  int size_ = 0, restarts_ = 0;
};

SolveRequest idle_request(std::vector<std::string_view> kinds) {
  SolveRequest request;
  request.solver = "idle";
  request.make = [kinds](std::string_view) { return std::make_unique<Idle>(kinds); };
  return request;
}

// What auto promises whatever becomes of its tries.
void expect_best_of_route(const Problem& problem, const SolveRequest& request) {
  const VerifiedResult r = solve_verified(problem, request);
  double best = kInf;
  bool answered = false, supported = false;
  std::string route;
  for (const RouteStep& step : r.route) {
    supported |= step.status != Status::kUnsupported;
    answered |= !std::isnan(step.measure);
    if (step.measure < best) best = step.measure;
    route += fmt::format("\n  {} {}: {} {}", step.solver.str(), step.settings.str(),
                         to_string(step.status), step.measure);
  }
  const std::string where =
      fmt::format("{} n = {}, iterations {}, limit {}: {} {}{}", problem.kind(), problem.size(),
                  request.limits.max_iterations, request.limits.time_limit, to_string(r.status),
                  r.verdict.measure, route);
  EXPECT_TRUE(!supported || r.status != Status::kUnsupported) << where;
  if (!answered) return;
  EXPECT_EQ(r.answer.z.size(), problem.size()) << where;
  EXPECT_LE(r.verdict.measure, best) << where;
  EXPECT_EQ(r.status == Status::kSolved, r.verdict.solved) << where;
}

std::vector<Problem> problems_of_all_kinds(std::uint64_t seed) {
  std::vector<Problem> problems;
  for (const auto& [family, size] : {std::pair("psd", 30),
                                     {"nonmonotone", 12},
                                     {"contact-pile", 6},
                                     {"box-qp", 40},
                                     {"socp", 20},
                                     {"socp", 120},
                                     {"friction-pile", 8},
                                     {"random-ncp", 10}})
    problems.push_back(generate(find_family(family), size, seed));
  Random random(seed);
  for (int k = 0; k < 5; ++k) {
    problems.push_back(problem_of(random_box_problem(random)));
    problems.push_back(problem_of(random_friction_problem(random)));
  }
  return problems;
}

TEST(Auto, NeverReturnsLessThanItsBestTry) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    for (const Problem& problem : problems_of_all_kinds(seed)) {
      for (const auto& [iterations, limit] :
           {std::pair(1, 0.0), {2, 0.0}, {5, 0.0}, {0, 1e-5}, {0, 1e-3}}) {
        SolveRequest request;
        request.limits = {1e-13, iterations, limit};
        expect_best_of_route(problem, request);
      }
    }
  }
}

// Singular, and far from monotone: paths, Newton steps and sweeps end elsewhere.
TEST(Auto, FindsTheSolutionsOfFewUnknowns) {
  const double inf = kInf;
  FrictionContact contacts = contact_problem(
      matrix(6, 6, {4.5, 1.75, 2,   1.5,  -2,  7,  1.75, 1.125, 3,    -1.25,  -3,  0.5,
                    2,   3,    12,  -8.5, -12, -8, 1.5,  -1.25, -8.5, 8.0625, 8.5, 11.5,
                    -2,  -3,   -12, 8.5,  12,  8,  7,    0.5,   -8,   11.5,   8,   22}),
      vector({438.25, 582.125, 2242.25, -1539.78125, -2237.25, -1361.75}), 10.0, 3);
  contacts.mu[1] = 1.0;
  const std::vector<ProblemData> problems{
      Mlcp{Matrix(matrix(3, 3, {-1, -1, 2, 0, 0, -2, 0, 0, 0})), vector({1, 5, 0}),
           vector({-inf, 0, 0}), vector({0, inf, inf})},
      Mlcp{Matrix(matrix(5, 5, {0, 2,  0, 0, 0.5, -1, -4, 0,  -1, 1,  0.5, -3, -1,
                                1, -1, 0, 0, 0.5, 0,  2,  -2, -1, -1, 0,   -1})),
           vector({-1, 0, -1, -2, -2}), vector({-inf, -inf, 0, -0.5, -inf}),
           vector({2, 5, inf, 0, inf})},
      contacts};
  for (const ProblemData& data : problems) {
    const Problem p = problem_of(data);
    EXPECT_EQ(solve_verified(p, {}).status, Status::kSolved) << p.kind() << " " << p.size();
  }
}

// With more unknowns it would take minutes.
TEST(Auto, TriesAllBasesOfFewUnknownsOnly) {
  for (const int n : {8, 9}) {
    const VerifiedResult r = solve_verified(generate(find_family("no-solution"), n, 1), {});
    EXPECT_EQ(std::any_of(r.route.begin(), r.route.end(),
                          [](const RouteStep& step) {
                            return step.solver.str() == "enumerate" &&
                                   step.status != Status::kUnsupported;
                          }),
              n == 8)
        << n;
  }
}

// block-interior-point refuses, interior-point stops near, and lemke is refused: that was
// "unsupported", without an answer.
TEST(Auto, WhatCameNearIsNotLostToARefusal) {
  const Problem problem = generate(find_family("socp"), 120, 1);
  SolveRequest request;
  request.solver = "first(block-interior-point, interior-point)";
  request.limits.max_iterations = 3;
  const VerifiedResult r = solve_verified(problem, request);
  ASSERT_EQ(r.route.front().status, Status::kUnsupported);
  EXPECT_EQ(r.status, Status::kIterationLimit);
  EXPECT_EQ(r.answer.z.size(), problem.size());
  EXPECT_FALSE(std::isnan(r.verdict.measure));
}

TEST(Auto, SaysThatTheTimeWasOver) {
  const Problem problem = generate(find_family("nonmonotone"), 60, 1);
  SolveRequest request;
  request.limits = {1e-10, 0, 1e-6};
  const VerifiedResult r = solve_verified(problem, request);
  EXPECT_EQ(r.status, Status::kTimeLimit);
}

TEST(Auto, TellsSettingsAndMeasureOfEachTry) {
  const Problem problem = generate(find_family("nonmonotone"), 20, 3);
  SolveRequest request;
  request.limits = {1e-10, 3, 0.0};
  const VerifiedResult r = solve_verified(problem, request);
  ASSERT_GT(r.route.size(), 3u);
  const auto covering = std::find_if(r.route.begin(), r.route.end(), [](const RouteStep& step) {
    return step.settings.str().find("covering=random:1") != std::string::npos;
  });
  ASSERT_NE(covering, r.route.end());
  EXPECT_FALSE(std::isnan(covering->measure));
}

TEST(Clock, ReductionsAreOnIt) {
  const Problem problem = generate(find_family("friction-pile"), 60, 1);
  const auto& contact = std::get<FrictionContact>(problem.data);
  for (const auto& [reduction, kind] : {std::pair("fritz-john", "mcp"), {"pyramid", "lcp"}}) {
    const bool pyramid = std::string(kind) == "lcp";
    const double alone = seconds_of([&] {
      if (pyramid)
        reduce_to_pyramid_lcp(contact);
      else
        reduce_to_mcp(contact);
    });
    SolveRequest request = idle_request({kind});
    if (pyramid) request.settings = {{"reduction", "pyramid"}};
    const VerifiedResult r = solve_verified(problem, request);
    EXPECT_GT(r.setup_time, 0.2 * alone) << reduction;
    ASSERT_EQ(r.route.size(), 1u);
    EXPECT_GT(r.route.front().time, 0.2 * alone) << reduction;
  }
}

TEST(Clock, VerificationIsNot) {
  const Problem problem = generate(find_family("psd"), 300, 1);
  double solve = kInf, verification = kInf;
  for (int k = 0; k < 5; ++k) {
    const VerifiedResult r = solve_verified(problem, idle_request({"lcp"}));
    solve = std::min(solve, r.solve_time);
    verification = std::min(verification, r.verification_time);
  }
  EXPECT_LT(solve, verification);
}

// One function called many times, so that compiling is not nothing.
TEST(Clock, CompilingAGraphIsOnItOnce) {
  const Problem problem = generate(find_family("random-ncp"), 60, 1);
  ASSERT_TRUE(std::get<Mcp>(problem.data).graph);
  const double alone = seconds_of([&] {
    Mcp copy = std::get<Mcp>(problem.data);
    compile(copy);
  });
  SolveRequest request;
  request.solver = "first(idle)";
  request.make = [](std::string_view) {
    return std::make_unique<Idle>(std::vector<std::string_view>{"mcp"});
  };
  EXPECT_GT(solve_verified(problem, request).setup_time, 0.2 * alone);
}

// A small problem with a start that solves it, and one without.
Problem started_problem() {
  Problem problem = generate(find_family("psd"), 20, 1);
  SolveRequest request;
  request.limits.tolerance = 1e-12;
  problem.start = solve_verified(problem, request).answer.z;
  return problem;
}

TEST(Start, TheProblemsOwnIsUsed) {
  const Problem problem = started_problem();
  SolveRequest request;
  request.solver = "newton-fb";
  const VerifiedResult stored = solve_verified(problem, request);
  EXPECT_EQ(stored.start, "stored");
  EXPECT_EQ(stored.iterations, 0);
  request.stored_start = false;
  const VerifiedResult zero = solve_verified(problem, request);
  EXPECT_EQ(zero.start, "nothing");
  EXPECT_GT(zero.iterations, 0);
  request.start = problem.start;
  EXPECT_EQ(solve_verified(problem, request).start, "given");

  const std::unique_ptr<Solver> solver = make_solver("newton-fb");
  EXPECT_EQ(solve_with(*solver, problem).start, "stored");
  EXPECT_EQ(solve_with(*solver, problem).iterations, 0);
  EXPECT_GT(solve_with(*solver, problem, nullptr, nullptr, {}, false).iterations, 0);
}

TEST(Start, AutoUsesTheProblemsOwn) {
  const Problem problem = started_problem();
  const VerifiedResult r = solve_verified(problem, {});
  EXPECT_EQ(r.start, "stored");
  EXPECT_LE(r.iterations, 1);
}

TEST(Start, ReachesAReduction) {
  Problem problem = generate(find_family("box-qp"), 40, 1);
  problem.start = solve_verified(problem, {}).answer.z;
  SolveRequest request;
  request.solver = "pgs";
  const VerifiedResult r = solve_verified(problem, request);
  EXPECT_EQ(r.start, "stored");
  request.stored_start = false;
  EXPECT_LT(r.iterations, solve_verified(problem, request).iterations);
}

// From a solution there is next to nothing to do; who does as much as without one ignores it.
TEST(Start, MethodsThatMakeNoUseOfOneAreToldApart) {
  std::vector<std::string_view> tried;
  for (const auto& [family, size] :
       {std::pair("obstacle", 12), {"box-qp", 40}, {"friction-pile", 5}, {"psd", 10}}) {
    const Problem problem = generate(find_family(family), size, 1);
    SolveRequest request;
    request.limits.tolerance = 1e-12;
    const Vector start = solve_verified(problem, request).answer.z;
    for (const auto& make : solver_registry()) {
      const std::unique_ptr<Solver> solver = make();
      if (solver->refusal(problem)) continue;
      tried.push_back(solver->traits().name);
      const VerifiedResult zero = solve_with(*solver, problem);
      const VerifiedResult given = solve_with(*solver, problem, &start);
      const bool uses = solver->traits().uses_start;
      EXPECT_EQ(given.start, uses ? "given" : "nothing") << tried.back();
      if (uses) {
        EXPECT_LE(given.iterations, std::min(1, zero.iterations)) << tried.back();
      } else {
        EXPECT_EQ(given.iterations, zero.iterations) << tried.back();
      }
    }
  }
  for (const char* name :
       {"lemke", "newton-min", "multigrid", "interior-point", "enumerate", "admm"})
    EXPECT_NE(std::find(tried.begin(), tried.end(), name), tried.end()) << name;
}

TEST(Refusal, NamesTheReductionThatWouldHelp) {
  const Problem problem = generate(find_family("friction-pile"), 3, 1);
  SolveRequest request;
  request.solver = "lemke";
  const VerifiedResult r = solve_verified(problem, request);
  EXPECT_EQ(r.status, Status::kUnsupported);
  EXPECT_NE(r.message.find("reduction=pyramid"), std::string::npos) << r.message;
  EXPECT_NE(r.message.find("friction_contact"), std::string::npos) << r.message;
  request.solver = "interior-point";
  EXPECT_NE(solve_verified(problem, request).message.find("reduction=convex"), std::string::npos);
  request.solver = "lemke";
  request.settings = {{"reduction", "pyramid"}};
  EXPECT_NE(solve_verified(problem, request).status, Status::kUnsupported);
}

// The limit is that of setup and solve together.
TEST(Clock, TheLimitIsThatOfBoth) {
  class Slow final : public Solver {
   public:
    const SolverTraits& traits() const override {
      static const SolverTraits traits{"slow", "prepares slowly", "", {"lcp"}};
      return traits;
    }
    void visit_settings(SettingVisitor&) override {}
    double seen = 0.0;

   private:
    void do_prepare(const Problem&) override {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    void do_solve(const Start&, Observer*, Result&) override { seen = limits.time_limit; }
  };
  Slow slow;
  slow.limits.time_limit = 1.0;
  solve_with(slow, problem_of(Lcp{matrix(1, 1, {2}), vector({-1})}));
  EXPECT_LT(slow.seen, 0.981);
  EXPECT_EQ(slow.limits.time_limit, 1.0);
}

}  // namespace
}  // namespace perp::test
