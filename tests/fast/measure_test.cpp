// What the benchmark measures: tolerances that are tightened, repeats, limits.
#include "support.hpp"

#include <perp/bench/harness/measure.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <thread>

namespace perp::test {
namespace {

// z = 1 solves it, and the residual is 2|z - 1|.
const Problem& one_by_one() {
  static const Problem problem = problem_of(Lcp{matrix(1, 1, {2}), vector({-2})});
  return problem;
}

// What a solver does at its k-th solve, from 1.
using Script = std::function<void(int call, const Limits& limits, Result& result)>;

class ScriptedCalls final : public Solver {
 public:
  ScriptedCalls(const Script& script, int& calls) : script_(script), calls_(calls) {}
  const SolverTraits& traits() const override {
    static const SolverTraits traits{"scripted", "for tests", "", {"lcp", "mlcp"}};
    return traits;
  }
  void visit_settings(SettingVisitor&) override {}

 private:
  void do_prepare(const Problem&) override {}
  void do_solve(const Start&, Observer*, Result& result) override {
    result.status = Status::kSolved;
    result.z = vector({1.0});
    script_(++calls_, limits, result);
  }

  const Script& script_;
  int& calls_;
};

struct Measured {
  Measurement m;
  int calls = 0, told = 0, stood = 0;
};

Measured measured(const Script& script, Repeats repeats = {}, double time_limit = 0.0,
                  const Problem& problem = one_by_one()) {
  Measured out;
  SolveRequest request;
  request.solver = "scripted";
  request.limits = {1e-6, 0, time_limit};
  request.make = [&](std::string_view) {
    return std::make_unique<ScriptedCalls>(script, out.calls);
  };
  out.m = measure(problem, request, repeats, [&](const Measurement&, bool stands) {
    ++out.told;
    out.stood += stands;
  });
  return out;
}

TEST(Measure, AsksForLessUntilTheVerifierGrants) {
  // Its own measure is 30 times too kind.
  const Script kind = [](int, const Limits& limits, Result& result) {
    result.z[0] += 15 * limits.tolerance;
  };
  const Measured r = measured(kind);
  EXPECT_EQ(r.m.result.status, Status::kSolved);
  EXPECT_DOUBLE_EQ(r.m.asked, 1e-8);
  EXPECT_EQ(r.m.result.verdict.tolerance, 1e-6);
  EXPECT_EQ(r.calls, 3);
  EXPECT_EQ(r.m.solves.size(), 1u);  // of the run that was granted alone
  const Measured again = measured(kind, {3});
  EXPECT_EQ(again.calls, 5);
  EXPECT_EQ(again.m.solves.size(), 3u);
  EXPECT_DOUBLE_EQ(again.m.asked, 1e-8);
}

TEST(Measure, AlsoByAReduction) {
  const Problem qp =
      problem_of(BoxQp{matrix(1, 1, {2}), vector({-2}), vector({0}), vector({kInf})});
  const Measured r = measured(
      [](int, const Limits& limits, Result& result) { result.z[0] += 15 * limits.tolerance; }, {1},
      0.0, qp);
  EXPECT_EQ(r.m.result.status, Status::kSolved);
  EXPECT_DOUBLE_EQ(r.m.asked, 1e-8);
}

TEST(Measure, AClaimRefutedAtAllIsWrong) {
  const Measured r = measured(
      [](int call, const Limits&, Result& result) { result.z[0] = call == 3 ? 1.1 : 2.0; });
  EXPECT_EQ(r.m.result.status, Status::kWrong);
  EXPECT_EQ(r.calls, 4);
  EXPECT_NEAR(r.m.result.verdict.measure, 0.2, 1e-12);  // the nearest one
}

TEST(Measure, WhoGivesUpIsNotAskedAgain) {
  const Measured r = measured(
      [](int, const Limits&, Result& result) {
        result.z[0] = 2.0;
        result.status = Status::kStalled;
      },
      {5});
  EXPECT_EQ(r.m.result.status, Status::kStalled);
  EXPECT_EQ(r.calls, 1);  // what is not solved is not repeated either
}

// Whatever a solver says at a smaller tolerance, its claim at the one that counts was false.
TEST(Measure, ARefutedClaimStands) {
  for (const Status end : {Status::kIterationLimit, Status::kUnsupported, Status::kTimeLimit}) {
    const Measured r = measured([&](int call, const Limits&, Result& result) {
      result.z[0] = 2.0;
      if (call == 2) result.status = end;
    });
    EXPECT_EQ(r.m.result.status, Status::kWrong);
    EXPECT_EQ(r.m.result.claimed, Status::kSolved);
    EXPECT_EQ(r.calls, 2);
  }
}

// A proof takes time too, and the first run of a process takes longer than the others. A claim
// without a proof is no end.
TEST(Measure, ProofsAreRepeated) {
  const Problem infeasible = problem_of(Lcp{matrix(1, 1, {0}), vector({-1})});
  Certificate proof;
  proof.type = "farkas";
  proof.y = vector({1.0});
  for (const bool proves : {true, false}) {
    const Measured r = measured(
        [&](int, const Limits&, Result& result) {
          result.status = Status::kInfeasible;
          if (proves) result.certificate = proof;
        },
        {3}, 0.0, infeasible);
    EXPECT_EQ(r.m.result.status, proves ? Status::kInfeasible : Status::kStalled);
    EXPECT_EQ(r.calls, proves ? 3 : 1);
    EXPECT_EQ(r.m.solves.size(), proves ? 3u : 1u);
    EXPECT_EQ(r.stood, proves ? 1 : 0);
  }
}

TEST(Measure, RepeatsThatFailLeaveNoTime) {
  const Measured r = measured(
      [](int call, const Limits&, Result& result) {
        if (call == 2) result.status = Status::kNumericalError, result.z[0] = 7.0;
      },
      {4});
  EXPECT_EQ(r.m.result.status, Status::kSolved);
  EXPECT_EQ(r.calls, 4);
  EXPECT_EQ(r.m.solves.size(), 3u);
  EXPECT_EQ(r.m.failed_repeats, 1);
  EXPECT_EQ(r.m.result.message, "1 of 3 repeats failed");
  EXPECT_EQ(r.stood, 1);
}

// Each takes most of the limit, by its own word: together they exceed it.
TEST(Measure, EveryRepeatHasTheLimitForItself) {
  const Measured r = measured(
      [](int, const Limits& limits, Result& result) {
        EXPECT_GT(limits.time_limit, 90.0);
        result.own_times = OwnTimes{10.0, 70.0};
      },
      {4}, 100.0);
  EXPECT_EQ(r.m.solves.size(), 4u);
  EXPECT_EQ(r.m.result.status, Status::kSolved);
}

TEST(Measure, AnAnswerBeyondTheLimitIsTooLate) {
  const Measured r =
      measured([](int, const Limits&,
                  Result&) { std::this_thread::sleep_for(std::chrono::milliseconds(30)); },
               {3}, 0.01);
  EXPECT_EQ(r.m.result.status, Status::kTimeLimit);
  EXPECT_EQ(r.calls, 1);
}

TEST(Measure, AProofBeyondTheLimitIsTooLate) {
  const Problem infeasible = problem_of(Lcp{matrix(1, 1, {0}), vector({-1})});
  const Script prove = [](int, const Limits&, Result& result) {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    result.status = Status::kInfeasible;
    result.certificate.emplace();
    result.certificate->type = "farkas";
    result.certificate->y = vector({1.0});
  };
  EXPECT_EQ(measured(prove, {1}, 100.0, infeasible).m.result.status, Status::kInfeasible);
  const Measured late = measured(prove, {3}, 0.01, infeasible);
  EXPECT_EQ(late.m.result.status, Status::kTimeLimit);
  EXPECT_FALSE(late.m.result.certificate);
  EXPECT_EQ(late.calls, 1);
}

TEST(Measure, AColdFirstRunIsNotTimed) {
  const auto script = [](double first) {
    return [first](int call, const Limits&, Result& result) {
      result.own_times = call == 1 ? OwnTimes{first, first} : OwnTimes{0.001, 0.002};
    };
  };
  const Measured once = measured(script(0.009), {1, true});
  EXPECT_EQ(once.calls, 2);
  EXPECT_EQ(once.m.solves, std::vector<double>{0.002});
  EXPECT_EQ(once.m.total, 0.003);
  const Measured thrice = measured(script(0.009), {3, true});
  EXPECT_EQ(thrice.calls, 4);
  EXPECT_EQ(thrice.m.solves.size(), 3u);
  EXPECT_EQ(measured(script(0.011), {1, true}).calls, 1);  // long runs count as they are
  EXPECT_EQ(measured(script(0.009), {1}).calls, 1);
}

TEST(Measure, IfNoRunButTheColdOneEndsItsTimeCounts) {
  const Measured r = measured(
      [](int call, const Limits&, Result& result) {
        result.own_times = OwnTimes{0.001, 0.002};
        if (call > 1) result.status = Status::kNumericalError, result.z[0] = 7.0;
      },
      {2, true});
  EXPECT_EQ(r.m.solves, std::vector<double>{0.002});
  EXPECT_EQ(r.m.result.status, Status::kSolved);
  EXPECT_EQ(r.m.result.message, "2 of 2 repeats failed");
}

TEST(Measure, TimesAreMediansAndTotalsOfRuns) {
  const Measured r = measured(
      [](int call, const Limits&, Result& result) {
        constexpr double kSetup[] = {5, 1, 3}, kSolve[] = {1, 8, 4};
        result.own_times = OwnTimes{kSetup[call - 1], kSolve[call - 1]};
      },
      {3});
  EXPECT_EQ(r.m.result.setup_time, 3.0);
  EXPECT_EQ(r.m.result.solve_time, 4.0);
  EXPECT_EQ(r.m.total, 7.0);
  EXPECT_TRUE(r.m.result.own_times);
}

// A start that led nowhere has been paid for, by a program that tells its times like by others.
TEST(Measure, OwnTimesCountTheTryFromTheStart) {
  int calls = 0;
  const Script script = [](int call, const Limits&, Result& result) {
    result.own_times = OwnTimes{1.0, 10.0};
    if (call > 1) return;
    result.status = Status::kStalled;
    result.z = vector({0.0});
  };
  SolveRequest request;
  request.solver = "warm(scripted)";
  request.make = [&](std::string_view) { return std::make_unique<ScriptedCalls>(script, calls); };
  request.start = vector({3.0});
  const VerifiedResult r = solve_verified(one_by_one(), request);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(r.setup_time, 2.0);
  EXPECT_EQ(r.solve_time, 20.0);
}

TEST(Measure, TheMedianOfAnEvenNumberIsTheMeanOfTwo) {
  EXPECT_EQ(median({3, 1}), 2.0);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({5, 1, 3}), 3.0);
  EXPECT_EQ(median({7}), 7.0);
  EXPECT_TRUE(std::isnan(median({})));
}

}  // namespace
}  // namespace perp::test
