// Strategies: the grammar, what each of them does, and that auto is its plan.
#include "support.hpp"

#include <perp/problems/expression/expr.hpp>
#include <perp/problems/families/family.hpp>
#include <perp/solvers/plans.hpp>
#include <perp/solvers/router.hpp>
#include <perp/solvers/strategies/strategy.hpp>

#include <fmt/format.h>
#include <cmath>
#include <map>
#include <memory>

namespace perp::test {
namespace {

// What a scripted solver was asked, call by call.
struct Asked {
  std::string solver;
  double time_limit = 0.0, level = 0.0;
  int max_iterations = 0;
  std::optional<Vector> start;
  Matrix M;
};

// Solvers that do as their names say, on an LCP whose solution is known: "good" solves it, "near"
// and "far" miss it, "none" stalls without an answer, "capped" runs into its limit of iterations.
class Scripted final : public Solver {
 public:
  Scripted(std::string name, Vector solution, std::vector<Asked>& asked)
      : name_(std::move(name)), solution_(std::move(solution)), asked_(asked) {
    traits_ = {name_, "scripted", "", {"lcp", "mlcp"}};
  }
  const SolverTraits& traits() const override { return traits_; }
  void visit_settings(SettingVisitor& visitor) override { visitor.visit("level", level_, ""); }

 private:
  void do_prepare(const Problem& problem) override {
    const auto* lcp = std::get_if<Lcp>(&problem.data);
    M_ = lcp ? lcp->M : std::get<Mlcp>(problem.data).M;
  }
  void do_solve(const Start& start, Observer*, Result& result) override {
    asked_.push_back({name_, limits.time_limit, level_, limits.max_iterations,
                      start.z ? std::optional<Vector>(*start.z) : std::nullopt, M_});
    result.status = Status::kStalled;
    result.iterations = 1;
    if (name_ == "none") return;
    const double off = name_ == "good" ? 0.0 : name_ == "near" ? 1e-6 : 1.0;
    result.z = solution_.array() + off;
    if (name_ == "good") result.status = Status::kSolved;
    if (name_ == "capped") result.status = Status::kIterationLimit;
  }

  std::string name_;
  Vector solution_;
  std::vector<Asked>& asked_;
  SolverTraits traits_;
  double level_ = 0.0;
  Matrix M_;
};

class Strategies : public testing::Test {
 protected:
  Strategies() {
    DenseMatrix M(2, 2);
    M << 2, 1, 1, 2;
    problem_.data = Lcp{M, Vector{{-4.0, -5.0}}};  // z = (1, 2), w = 0
    request_.make = [this](std::string_view name) {
      return std::make_unique<Scripted>(std::string(name), Vector{{1.0, 2.0}}, asked_);
    };
  }

  VerifiedResult solve(const std::string& solver) {
    asked_.clear();
    request_.solver = solver;
    return solve_verified(problem_, request_);
  }

  static std::vector<std::string> names(const VerifiedResult& r) {
    std::vector<std::string> list;
    for (const RouteStep& step : r.route) list.push_back(step.solver.str());
    return list;
  }

  using Names = std::vector<std::string>;
  Problem problem_;
  SolveRequest request_;
  std::vector<Asked> asked_;
};

TEST_F(Strategies, FirstEndsAtTheFirstThatSolves) {
  const VerifiedResult r = solve("first(none, far, good, near)");
  EXPECT_EQ(r.status, Status::kSolved);
  EXPECT_EQ(names(r), (Names{"none", "far", "good"}));
}

TEST_F(Strategies, FirstKeepsTheBestAnswer) {
  const VerifiedResult r = solve("first(far, near, none, far)");
  EXPECT_NE(r.status, Status::kSolved);
  EXPECT_EQ(names(r).size(), 4u);
  EXPECT_NEAR(r.answer.z[0], 1.0, 1e-5);
  EXPECT_NEAR(r.verdict.measure, 3e-6, 1e-9);
}

TEST_F(Strategies, BestRunsAllOfThem) {
  const VerifiedResult r = solve("best(far, good, near)");
  EXPECT_EQ(names(r), (Names{"far", "good", "near"}));
  EXPECT_EQ(r.status, Status::kSolved);
  EXPECT_EQ(r.answer.z, (Vector{{1.0, 2.0}}));
}

TEST_F(Strategies, BestEndsIfTheCallerSaysSo) {
  struct Stop final : Observer {
    bool on_iteration(const IterationRecord&) override { return ++calls > 1; }
    int calls = 0;
  } stop;
  SolveRequest request;
  request.solver = "best(newton-fb, newton-fb, lemke)";
  const VerifiedResult r = solve_verified(problem_, request, &stop);
  EXPECT_EQ(r.status, Status::kInterrupted);
  EXPECT_EQ(r.route.size(), 1u);
}

// A cap of the caller is one of each try.
TEST_F(Strategies, WarmHasTheWholeCapTwice) {
  request_.limits.max_iterations = 5;
  request_.start = Vector{{3.0, 3.0}};
  solve("warm(far)");
  ASSERT_EQ(asked_.size(), 2u);
  for (const Asked& asked : asked_) EXPECT_EQ(asked.max_iterations, 5);
}

TEST_F(Strategies, RepeatCounts) {
  solve("repeat(3, far:level={10*k+n})");
  ASSERT_EQ(asked_.size(), 3u);
  for (int k = 0; k < 3; ++k)
    EXPECT_EQ(asked_[static_cast<std::size_t>(k)].level, 10 * (k + 1) + 2);
  EXPECT_EQ(names(solve("repeat(3, good)")), Names{"good"});
}

TEST_F(Strategies, TryGivesAShareOfTheTimeAndACap) {
  request_.limits.time_limit = 100.0;
  solve("first(try(far, share=.25), try(far, cap=7), far)");
  ASSERT_EQ(asked_.size(), 3u);
  EXPECT_NEAR(asked_[0].time_limit, 25.0, 1.0);
  EXPECT_NEAR(asked_[1].time_limit, 100.0, 1.0);
  EXPECT_EQ(asked_[1].max_iterations, 7);
  EXPECT_EQ(asked_[2].max_iterations, 0);
  request_.limits.max_iterations = 5;  // the caller's own is lower
  solve("try(far, cap=7)");
  EXPECT_EQ(asked_.front().max_iterations, 5);
}

TEST_F(Strategies, AfterACapOnly) {
  EXPECT_EQ(names(solve("first(far, try(good, after=cap))")), Names{"far"});
  EXPECT_EQ(names(solve("first(try(capped, cap=3), try(good, after=cap))")),
            (Names{"capped", "good"}));
  EXPECT_EQ(names(solve("first(capped, try(good, after=cap))")), Names{"capped"});
}

TEST_F(Strategies, WithinAMeasureOnly) {
  EXPECT_EQ(names(solve("first(far, try(good, within=1e-5))")), Names{"far"});
  EXPECT_EQ(names(solve("first(near, try(good, within=1e-5))")), (Names{"near", "good"}));
  EXPECT_EQ(names(solve("first(try(good, within=1e-5), near)")), Names{"near"});  // nothing before
}

TEST_F(Strategies, ABareStartIsVerified) {
  EXPECT_EQ(solve("start").status, Status::kUnsupported);  // there is none
  request_.start = Vector{{5.0, 6.0}};
  EXPECT_EQ(solve("start").status, Status::kStalled);
  EXPECT_EQ(names(solve("first(start, good)")), (Names{"start", "good"}));
  const VerifiedResult solved = solve("good");
  request_.start = solved.answer.z;
  EXPECT_EQ(solve("start").status, Status::kSolved);
  EXPECT_EQ(names(solve("first(start, far)")), Names{"start"});
}

TEST_F(Strategies, SkippedTriesTakeTimeToo) {
  request_.limits.time_limit = 0.05;
  EXPECT_EQ(solve("repeat(1000000000, try(good, from=start))").status, Status::kTimeLimit);
}

TEST_F(Strategies, StartsOfATry) {
  request_.start = Vector{{5.0, 6.0}};
  solve(
      "first(far, try(near, from=zero), try(far, from=best), try(far, from=random:3), "
      "try(far, from=random:3), try(far, from=random:4))");
  ASSERT_EQ(asked_.size(), 6u);
  EXPECT_EQ(*asked_[0].start, *request_.start);
  EXPECT_FALSE(asked_[1].start.has_value());
  EXPECT_NEAR((*asked_[2].start - Vector{{1.0, 2.0}}).cwiseAbs().maxCoeff(), 1e-6, 1e-12);
  EXPECT_EQ(*asked_[3].start, *asked_[4].start);
  EXPECT_NE(*asked_[3].start, *asked_[5].start);
}

TEST_F(Strategies, PolishFinishesWhatIsAllButRight) {
  const VerifiedResult r = solve("polish(near)");
  EXPECT_EQ(r.status, Status::kSolved);
  EXPECT_EQ(names(r), (Names{"near", "polish"}));
  EXPECT_EQ(names(solve("polish(far)")), Names{"far"});
  EXPECT_EQ(names(solve("polish(good)")), Names{"good"});
}

TEST_F(Strategies, PolishOfTheStart) {
  EXPECT_EQ(solve("polish(start)").status, Status::kUnsupported);  // there is none
  EXPECT_EQ(names(solve("first(polish(start), good)")), Names{"good"});
  request_.start = Vector{{1.1, 2.1}};
  const VerifiedResult r = solve("first(polish(start), far)");
  EXPECT_EQ(r.status, Status::kSolved);
  EXPECT_EQ(names(r), Names{"polish"});
  EXPECT_EQ(r.start, "given");
}

TEST_F(Strategies, ProximalShiftsTheDiagonal) {
  solve("proximal(far, rho=0.5, steps=1)");
  ASSERT_EQ(asked_.size(), 1u);
  EXPECT_EQ(asked_.front().M.coefficient(0, 0), 2.0 + 0.5 * 2.0);
  EXPECT_EQ(asked_.front().M.coefficient(0, 1), 1.0);
}

// M is singular and has a line of solutions; the proximal-point steps converge to one of them.
TEST(StrategiesOfMethods, ProximalSolvesASingularProblem) {
  DenseMatrix M(2, 2);
  M << 1, -1, -1, 1;
  Problem problem;
  problem.data = Lcp{M, Vector{{-1.0, 1.0}}};  // z1 - z2 = 1
  SolveRequest request;
  request.solver = "proximal(newton-min)";
  const VerifiedResult r = solve_verified(problem, request);
  EXPECT_EQ(r.status, Status::kSolved) << r.message;
  EXPECT_NEAR(r.answer.z[0] - r.answer.z[1], 1.0, 1e-7);
  EXPECT_GT(r.route.size(), 1u);
}

TEST(StrategiesOfMethods, AProximalPointThatOverflowsIsNoBadInput) {
  for (const double large : {1.79e308, 1e308}) {
    const Lcp p{matrix(2, 2, {large, -1, 0, 1}), vector({-1, 0})};
    SolveRequest request;
    request.solver = "proximal(lemke, rho=0.9)";
    const VerifiedResult result = solve_verified(problem_of(p), request);
    EXPECT_EQ(result.status, Status::kNumericalError) << large;
    EXPECT_EQ(result.message, "M + rho I is not finite");
    request.solver = "first(proximal(lemke, rho=0.9), lemke)";
    EXPECT_NE(solve_verified(problem_of(p), request).route.size(), 1U);
  }
}

TEST(StrategiesOfMethods, EliminateTakesAProblemOfNoUnknowns) {
  Mcp none;
  {
    Recorder recorder;
    none.graph = std::make_shared<const ExpressionGraph>(recorder.graph(ExprVector(0)));
  }
  Problem problem;
  problem.data = none;
  SolveRequest request;
  request.solver = "best(newton-fb, eliminate(newton-fb, newton-fb))";
  EXPECT_EQ(solve_verified(problem, request).status, Status::kSolved);
}

TEST(StrategiesOfMethods, ContactsAreThoseOfTheProblem) {
  Problem problem = generate(find_family("friction-pile"), 3, 1);
  problem.contacts.clear();  // files need not list them
  SolveRequest request;
  request.solver = "try(nsgs, cap={1000*contacts})";
  EXPECT_EQ(solve_verified(problem, request).status, Status::kSolved);
}

TEST(StrategiesOfMethods, ReduceStatesItAnew) {
  const Problem problem = generate(find_family("friction-pile"), 3, 1);
  SolveRequest request, settings;
  request.solver = "reduce(first(lemke, newton-fb), to=pyramid:8)";
  settings.solver = "lemke";
  settings.settings = {{"reduction", "pyramid:8"}};
  const VerifiedResult a = solve_verified(problem, request), b = solve_verified(problem, settings);
  EXPECT_EQ(a.answer.z, b.answer.z);
  EXPECT_EQ(a.route.front().solver.str(), b.route.front().solver.str());
}

TEST(StrategiesOfMethods, WithoutAPart) {
  const Problem problem = generate(find_family("contact-pile"), 2, 1);
  for (const Plan& plan : plans()) {
    SolverExpression rest = solver_of(plan);
    if (remove_named(rest, "lemke")) {
      EXPECT_EQ(to_text(rest).find("lemke"), std::string::npos);
      EXPECT_EQ(to_text(parse_solver(to_text(rest))), to_text(rest));
    }
    SolverExpression bare = solver_of(plan);
    ASSERT_TRUE(remove_named(bare, "polish"));
    EXPECT_EQ(to_text(bare).find("polish"), std::string::npos);
  }
  SolveRequest request;
  EXPECT_EQ(solve_verified(problem, request).route.back().solver.str(), "lemke");
  request.solver = "without(auto, part=lemke)";
  const VerifiedResult r = solve_verified(problem, request);
  EXPECT_EQ(r.status, Status::kSolved);
  for (const RouteStep& step : r.route)
    EXPECT_EQ(step.solver.str().find("lemke"), std::string::npos);
  request.solver = "without(lemke, part=lemke)";
  EXPECT_EQ(solve_verified(problem, request).status, Status::kUnsupported);
}

// The plan in the place of auto: the same tries, the same bits.
TEST(Plans, AutoIsThePlan) {
  std::map<std::string, int> used;
  for (const auto& [family, size] :
       std::initializer_list<std::pair<const char*, int>>{{"nonmonotone", 10},
                                                          {"infeasible", 8},
                                                          {"contact-pile", 20},
                                                          {"p-matrix", 60},
                                                          {"psd", 60},
                                                          {"contact-stack", 100},
                                                          {"box-qp", 30},
                                                          {"socp", 10},
                                                          {"socp", 120},
                                                          {"random-ncp", 8},
                                                          {"spatial-price", 30},
                                                          {"friction-stack", 10},
                                                          {"friction-granular", 10}}) {
    const Problem problem = generate(find_family(family), size, 1);
    const Plan& plan = choose_plan(problem, false);
    ++used[std::string(plan.name)];
    SolveRequest request;
    const VerifiedResult a = solve_verified(problem, request);
    request.solver = plan.text;
    const VerifiedResult b = solve_verified(problem, request);
    EXPECT_EQ(a.status, b.status) << family;
    EXPECT_EQ(a.answer.z, b.answer.z) << family;
    ASSERT_EQ(a.route.size(), b.route.size()) << family;
    for (std::size_t k = 0; k < a.route.size(); ++k) {
      EXPECT_EQ(a.route[k].solver.str(), b.route[k].solver.str());
      EXPECT_EQ(a.route[k].settings.str(), b.route[k].settings.str());
    }
  }
  EXPECT_GE(used.size(), 9u);
}

TEST(Plans, ALargeProblemWithAStartBeginsWithPivots) {
  const Problem problem = generate(find_family("p-matrix"), 600, 1);
  EXPECT_EQ(choose_plan(problem, false).name, "linear-large");
  EXPECT_EQ(choose_plan(problem, true).name, "linear");
  SolveRequest request;
  const VerifiedResult cold = solve_verified(problem, request);
  ASSERT_EQ(cold.status, Status::kSolved);
  request.start = cold.answer.z;
  const VerifiedResult warm = solve_verified(problem, request);
  EXPECT_EQ(warm.status, Status::kSolved);
  EXPECT_EQ(warm.route.front().solver.str(), "polish");
  EXPECT_EQ(warm.iterations, 0);  // the start is the answer
}

// The plan of a caller that has another way has the first tries of the plan for the only one.
TEST(Plans, GiveUpEarlyIfTheCallerHasAnotherWay) {
  const Problem large = generate(find_family("spatial-price"), 20, 1);
  ASSERT_GE(large.size(), 300);
  EXPECT_EQ(choose_plan(large, true).name, "nonlinear-large");
  const Plan& early = choose_plan(large, true, true);
  EXPECT_EQ(early.name, "nonlinear-large-early");
  EXPECT_LT(early.text.size(), choose_plan(large, true).text.size());
  const Problem small = generate(find_family("random-ncp"), 8, 1);
  EXPECT_EQ(choose_plan(small, true, true).name, choose_plan(small, true).name);
  for (const auto& [contacts, name] :
       {std::pair(20, "friction-started-early"), std::pair(1000, "friction-large-started-early")}) {
    const Problem friction = generate(find_family("friction-stack"), contacts, 1);
    EXPECT_EQ(choose_plan(friction, true, true).name, name);
    EXPECT_LT(choose_plan(friction, true, true).text.size(),
              choose_plan(friction, true).text.size());
    EXPECT_EQ(choose_plan(friction, false, true).name, choose_plan(friction, false).name);
  }

  SolveRequest request;
  request.give_up_early = true;
  const VerifiedResult as_auto = solve_verified(large, request);
  request.solver = early.text;
  const VerifiedResult by_plan = solve_verified(large, request);
  EXPECT_EQ(as_auto.answer.z, by_plan.answer.z);
  EXPECT_EQ(as_auto.route.size(), by_plan.route.size());
}

TEST(Plans, PyramidsBeginWithTheirStart) {
  const Problem problem = generate(find_family("contact-pile"), 100, 1);
  EXPECT_EQ(choose_plan(problem, false).name, "linear-pyramid");
  EXPECT_EQ(choose_plan(problem, true).name, "linear-pyramid-started");
  SolveRequest request;
  const VerifiedResult cold = solve_verified(problem, request);
  ASSERT_EQ(cold.status, Status::kSolved);
  EXPECT_EQ(cold.route.front().solver.str(), "newton-pyramid");
  request.start = cold.answer.z;
  const VerifiedResult warm = solve_verified(problem, request);
  EXPECT_EQ(warm.status, Status::kSolved);
  EXPECT_EQ(warm.route.front().solver.str(), "newton-pyramid");
  EXPECT_EQ(warm.route.size(), 1u);
  EXPECT_EQ(warm.iterations, 0);  // the start is the answer
}

TEST(Plans, EveryPlanIsWellFormed) {
  for (const Plan& plan : plans()) {
    EXPECT_NO_THROW(check_expression(solver_of(plan))) << plan.name;
    EXPECT_EQ(to_text(solver_of(plan)), plan.text) << plan.name;
  }
}

TEST(SolverGrammar, ComesBack) {
  for (const char* text :
       {"lemke", "newton-ac:recoveries=2:map=natural", "first(lemke, newton-fb:restarts=0)",
        "repeat(3, try(lemke:covering=\"random:{k}\", cap={1000+100*n}, from=best))",
        "exec:\"python3 my solver.py, \\\"x\\\"\"", "best(exec:\"a\", first(polish(lemke), pgs))",
        "newton-fb:restarts={max(20, min(400, 16000/n))}"}) {
    const SolverExpression once = parse_solver(text);
    EXPECT_EQ(to_text(once), text);
    EXPECT_EQ(to_text(parse_solver(to_text(once))), to_text(once));
  }
  EXPECT_EQ(to_text(parse_solver("  first( lemke ,pgs:relaxation=1.2 ) ")),
            "first(lemke, pgs:relaxation=1.2)");
}

TEST(SolverGrammar, FaultsAreNamedWithTheirPlace) {
  const std::string deep = [] {
    std::string text;
    for (int k = 0; k < 100; ++k) text += "first(";
    return text + "lemke" + std::string(100, ')');
  }();
  for (const auto& [text, word] :
       std::map<std::string, std::string>{{"first(", "name"},
                                          {"first(lemke", "')'"},
                                          {"first(lemke) x", "nothing more"},
                                          {"first()", "name"},
                                          {"lemke:", "name"},
                                          {"lemke:a", "'='"},
                                          {"lemke:a=", "value"},
                                          {"lemke:a=\"x", "'\"'"},
                                          {"lemke:a=1(pgs)", "settings"},
                                          {",", "name"},
                                          {deep, "deep"}}) {
    try {
      parse_solver(text);
      ADD_FAILURE() << text;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("character"), std::string::npos) << error.what();
    }
  }
}

// Before a folder is touched or a benchmark begins.
TEST(SolverGrammar, OptionsThatNoProblemFitsAreRefusedBeforehand) {
  for (const char* solver : {"try(lemke, share=abc)",
                             "try(lemke, share=1.5)",
                             "try(lemke, share=\"\")",
                             "try(lemke, cap=2.5)",
                             "try(lemke, cap=-1)",
                             "try(lemke, within=nan)",
                             "try(lemke, from=random:x)",
                             "try(lemke, from=random:1e30)",
                             "try(lemke, from=near:1)",
                             "try(lemke, share=.5, share=.4)",
                             "first(lemke, try(lemke, within=abc))",
                             "warm(lemke, share=x)",
                             "repeat(lemke)",
                             "repeat(lemke, 3)",
                             "repeat(2, 3, lemke)",
                             "proximal(lemke, steps=0.5)",
                             "proximal(lemke, rho=0)",
                             "eliminate(lemke, lemke, rounds=x)",
                             "eliminate(lemke, lemke, share=7)",
                             "reduce(lemke, to=x)",
                             "reduce(lemke, to=pyramid:100000000)",
                             "without(auto, part=lemkee)",
                             "lemke:covering=abc",
                             "lemke:covering=random:x"}) {
    EXPECT_THROW(check_solver(solver), std::invalid_argument) << solver;
  }
  for (const char* solver :
       {"try(lemke, share=1, cap={n}, within=.5, from=random:{k})", "repeat(2, lemke)",
        "reduce(lemke, to=\"pyramid:{4*k}\")", "without(auto, part=start)",
        "lemke:covering=\"random:{k}\"", "lemke:covering=1"}) {
    EXPECT_NO_THROW(check_solver(solver)) << solver;
  }
}

TEST(SolverGrammar, WhatIsUnknownIsRefusedBeforehand) {
  for (const char* text :
       {"fist(lemke)", "first(magic)", "lemke:magic=1", "try(lemke, speed=2)", "try(lemke, pgs)",
        "first(polish(lemke:covering))", "auto:x=1", "polish(first(lemke, pgs:relaxation=-1))"}) {
    EXPECT_THROW(check_expression(parse_solver(text)), std::invalid_argument) << text;
  }
}

// Also if it is the value that a tolerance has by itself.
TEST(StrategiesOfMethods, ATolerancesOfItsOwnGoesFirst) {
  const Problem problem = generate(find_family("contact-stack"), 10, 1);
  const auto iterations = [&](const std::string& solver, double tolerance) {
    SolveRequest request;
    request.solver = solver;
    request.limits.tolerance = tolerance;
    return solve_verified(problem, request).iterations;
  };
  const std::string own = "rpgs:tolerance=1e-8", near = "rpgs:tolerance=1.0001e-8";
  for (const double tolerance : {1e-2, 1e-11})
    EXPECT_NEAR(iterations(own, tolerance), iterations(near, tolerance), 3) << tolerance;
  EXPECT_GT(iterations(own, 1e-2), iterations("rpgs", 1e-2));
}

}  // namespace
}  // namespace perp::test
