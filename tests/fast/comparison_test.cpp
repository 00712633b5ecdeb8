// Two builds compared: losses, refuted claims, and what tells a change of times from noise. All
// records are made here, from seeds.
#include "support.hpp"

#include <perp/bench/comparison/comparison.hpp>
#include <perp/problems/json/json.hpp>
#include <perp/problems/standard/random.hpp>

#include <fmt/format.h>
#include <cmath>
#include <nlohmann/json.hpp>

namespace perp::test {
namespace {

// Logarithmic noise of a machine.
struct MachineNoise {
  double repeat = 0.02;   // of one solve
  double process = 0.05;  // of all repeats of a problem
  double round = 0.0;     // of all solves of a round
  double spikes = 0.0;    // part of the solves that another program holds up, 3 to 30 ms
};

Record solved(const std::string& suite, const std::string& solver, const std::string& instance,
              double seconds) {
  Record r;
  r.key = suite + solver + instance;
  r.suite = suite;
  r.solver = solver;
  r.instance = instance;
  r.instance_hash = "hash of " + instance;
  r.family = "psd";
  r.kind = "lcp";
  r.n = 10;
  r.outcome = r.claimed = "solved";
  r.settings = "{}";
  r.version = "0.1.0";
  r.tolerance = r.asked = 1e-8;
  r.time_limit = 5.0;
  r.memory_limit = 4096;
  r.natural = 1e-12;
  r.repeats = {seconds, seconds, seconds};
  r.total = seconds;
  return r;
}

Record failed(Record r, const std::string& outcome, double residual = 1e-3) {
  r.outcome = outcome;
  r.natural = residual;
  r.message = "it did not";
  r.repeats.resize(1);
  return r;
}

RunRounds one_round(std::vector<Record> records) { return {"a run", {std::move(records)}, 0}; }

// Runs of two suites with two solvers, `problems` of each, from 0.1 ms to 1 s; solver b on suite
// "two" is slower by a factor.
struct Bench {
  int problems = 20, rounds = 1;
  MachineNoise noise;

  RunRounds run(Random& random, double factor = 1.0, double machine = 1.0) const {
    RunRounds result{"a run", {}, 0};
    for (int round = 0; round < rounds; ++round) {
      std::vector<Record> records;
      const double of_round = machine * std::exp(noise.round * random.normal());
      for (const char* suite : {"one", "two"}) {
        for (const char* solver : {"a", "b"}) {
          const bool changed = suite == std::string("two") && solver == std::string("b");
          for (int k = 0; k < problems; ++k) {
            const double usual = 1e-4 * std::pow(10.0, 4.0 * k / problems);
            records.push_back(timed(suite, solver, fmt::format("p{}", k), random,
                                    usual * of_round * (changed ? factor : 1.0)));
          }
        }
      }
      result.rounds.push_back(std::move(records));
    }
    return result;
  }

 private:
  Record timed(const char* suite, const char* solver, const std::string& instance, Random& random,
               double seconds) const {
    Record r = solved(suite, solver, instance, seconds);
    const double of_process = std::exp(noise.process * random.normal());
    for (double& t : r.repeats) {
      t = seconds * of_process * std::exp(noise.repeat * random.normal());
      if (random.uniform() < noise.spikes) t += random.uniform(3e-3, 30e-3);
    }
    std::vector<double> sorted = r.repeats;
    std::sort(sorted.begin(), sorted.end());
    r.total = sorted[1];
    return r;
  }
};

const ComparedGroup& group_of_two_b(const Comparison& c) {
  EXPECT_EQ(c.groups.size(), 4u);
  EXPECT_EQ(c.groups[3].suite + c.groups[3].solver, "twob");
  return c.groups[3];
}

// Verdicts and named problems that say that something has changed.
int changes_told(const Comparison& c) {
  int told = 0;
  for (const ComparedGroup& g : c.groups) {
    told += g.time.verdict == TimeVerdict::kSlower || g.time.verdict == TimeVerdict::kFaster;
    told += static_cast<int>(g.slower.size() + g.faster.size());
  }
  return told;
}

constexpr MachineNoise kQuiet{}, kNoisy{0.1, 0.1, 0.08, 0.1};

TEST(Bands, StudentsQuantiles) {
  // Of the tables that every book on statistics has.
  EXPECT_NEAR(student_quantile(0.025, 1), 12.7062, 1e-4);
  EXPECT_NEAR(student_quantile(0.05, 2), 2.91999, 1e-5);
  EXPECT_NEAR(student_quantile(0.005, 4), 4.60409, 1e-5);
  EXPECT_NEAR(student_quantile(0.0005, 5), 6.86883, 1e-4);
  EXPECT_NEAR(student_quantile(0.025, 10), 2.22814, 1e-5);
  EXPECT_NEAR(student_quantile(0.025, 100000), 1.95996, 1e-3);
  EXPECT_NEAR(student_quantile(0.5, 7), 0.0, 1e-12);
}

TEST(Bands, NeighboursThatAreAlikeTellLess) {
  EXPECT_EQ(standard_error({1.0}), 0.0);
  EXPECT_DOUBLE_EQ(standard_error({1.0, 3.0}), 1.0);
  std::vector<double> blocks, mixed;
  for (int k = 0; k < 64; ++k) {
    blocks.push_back(k / 16 % 2);
    mixed.push_back(k % 2);
  }
  EXPECT_NEAR(standard_error(mixed), 0.5 / std::sqrt(63.0), 1e-12);
  EXPECT_GT(standard_error(blocks), 2.0 * standard_error(mixed));
}

TEST(Bands, WhatGroupsShare) {
  EXPECT_EQ(common_change({}), 0.0);
  EXPECT_EQ(common_change({0.3}), 0.0);
  EXPECT_EQ(common_change({0.3, 0.1}), 0.1);
  EXPECT_EQ(common_change({-0.3, -0.1}), -0.1);
  EXPECT_EQ(common_change({0.3, -0.1}), 0.0);
  EXPECT_EQ(common_change({0.3, 0.0, 0.01}), 0.01);
}

TEST(Bands, TimesBelowTheLeastSayNothing) {
  const auto pair = [](double before, double after) {
    return TimePair{{{before}, {before, before}}, {{after}, {after, after}}};
  };
  const std::vector<TimePair> pairs = {pair(1e-6, 1.9e-5), pair(1e-6, 2.2e-5), pair(1e-3, 1e-3)};
  const GroupBand band = judge_times({pairs}).groups.front();
  EXPECT_EQ(band.too_short, 1);
  EXPECT_EQ(band.timed, 2);
  EXPECT_NEAR(band.band.ratio, std::sqrt(1.1), 1e-12);  // of 20 and 22 us
  EXPECT_EQ(judge_times({{pairs[0]}}).groups.front().verdict, TimeVerdict::kNone);
}

TEST(CompareTimes, OneRunFindsASlowdownOfASolverOnASuite) {
  for (int seed = 0; seed < 50; ++seed) {
    Random random(seed);
    const Bench bench;
    const RunRounds before = bench.run(random);
    const Comparison slower = compare_runs(before, bench.run(random, 1.3));
    EXPECT_EQ(group_of_two_b(slower).time.verdict, TimeVerdict::kSlower) << seed;
    EXPECT_NEAR(group_of_two_b(slower).time.band.ratio, 1.3, 0.08);
    const Comparison faster = compare_runs(before, bench.run(random, 1.0 / 1.3));
    EXPECT_EQ(group_of_two_b(faster).time.verdict, TimeVerdict::kFaster) << seed;
    for (int k = 0; k < 3; ++k) EXPECT_EQ(slower.groups[k].time.verdict, TimeVerdict::kSame);
    EXPECT_EQ(slower.lost(), 0);
  }
}

TEST(CompareTimes, RoundsFindItOnANoisyMachine) {
  int found = 0;
  for (int seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const Bench bench{20, 10, kNoisy};
    const RunRounds before = bench.run(random);
    const Comparison c = compare_runs(before, bench.run(random, 1.3));
    found += group_of_two_b(c).time.verdict == TimeVerdict::kSlower;
    for (int k = 0; k < 3; ++k) EXPECT_NE(c.groups[k].time.verdict, TimeVerdict::kSlower);
  }
  EXPECT_GE(found, 15);
}

TEST(CompareTimes, NothingBetweenRunsOfOneBuild) {
  for (const MachineNoise& noise : {kQuiet, kNoisy}) {
    for (const int rounds : {1, 3, 10}) {
      for (const int problems : {1, 4, 20}) {
        int wrong = 0;
        for (int seed = 0; seed < (rounds > 3 ? 8 : 30); ++seed) {
          Random random(seed);
          const Bench bench{problems, rounds, noise};
          const RunRounds before = bench.run(random);
          wrong += changes_told(compare_runs(before, bench.run(random))) > 0;
        }
        // Three rounds hardly tell a noise of 8 %; the bands are those of 2 %.
        EXPECT_LE(wrong, rounds == 3 ? 1 : 0) << rounds << " rounds, " << problems << " problems";
      }
    }
  }
}

TEST(CompareTimes, AMachineThatChangedIsNoChangeOfTheBuild) {
  for (int seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const Bench bench;
    const RunRounds before = bench.run(random);
    const Comparison c = compare_runs(before, bench.run(random, 1.0, 1.5));
    EXPECT_EQ(changes_told(c), 0) << seed;
    EXPECT_NEAR(c.common, 1.5, 0.1);
    EXPECT_NE(comparison_text(c).find("may come from the machine"), std::string::npos);
    // A solver that is slower by more than the machine is told apart.
    const Comparison more = compare_runs(before, bench.run(random, 1.5, 1.5));
    EXPECT_EQ(group_of_two_b(more).time.verdict, TimeVerdict::kSlower);
  }
}

TEST(CompareTimes, ASingleProblemIsNamedWhereItsOwnTimesSayIt) {
  Random random(1);
  const Bench bench{20, 5, kQuiet};
  const RunRounds before = bench.run(random);
  RunRounds after = bench.run(random);
  for (std::vector<Record>& round : after.rounds) {
    round[7].total *= 2.0;
    round[30].total /= 2.0;
  }
  Comparison c = compare_runs(before, after);
  ASSERT_EQ(c.groups[0].slower.size(), 1u);
  EXPECT_EQ(c.groups[0].slower[0].instance, "p7");
  EXPECT_NEAR(c.groups[0].slower[0].ratio, 2.0, 0.3);
  ASSERT_EQ(c.groups[1].faster.size(), 1u);
  EXPECT_EQ(c.groups[1].faster[0].instance, "p10");
  EXPECT_EQ(changes_told(c), 2);
  // Where one of its rounds was as fast as before, it may be the machine.
  after.rounds[3][7].total = before.rounds[2][7].total;
  c = compare_runs(before, after);
  EXPECT_TRUE(c.groups[0].slower.empty());
}

TEST(CompareTimes, OfOneRunOnlyALargeChangeOfAProblemIsNamed) {
  Random random(1);
  const Bench bench;
  const RunRounds before = bench.run(random);
  RunRounds after = bench.run(random);
  Record& r = after.rounds[0][15];
  const auto times = [&](double factor) {
    for (double& t : r.repeats) t *= factor;
    r.total *= factor;
  };
  times(8.0);
  const Comparison c = compare_runs(before, after);
  ASSERT_EQ(c.groups[0].slower.size(), 1u);
  EXPECT_EQ(c.groups[0].slower[0].instance, "p15");
  r.repeats.resize(1);  // nothing tells that it was not an accident
  EXPECT_TRUE(compare_runs(before, after).groups[0].slower.empty());
  // Nor where one bad moment of the machine may have held up all repeats of a short one.
  r = before.rounds[0][15];
  for (double& t : after.rounds[0][3].repeats) t *= 8.0;
  after.rounds[0][3].total *= 8.0;
  EXPECT_TRUE(compare_runs(before, after).groups[0].slower.empty());
}

TEST(Compare, ALossIsFoundAndNamed) {
  const std::vector<Record> old = {solved("s", "a", "p1", 0.1), solved("s", "a", "p2", 0.1),
                                   solved("s", "a", "p3", 0.1), solved("s", "b", "p1", 0.1)};
  std::vector<Record> now = old;
  now[1] = failed(now[1], "ray", 0.25);
  const Comparison c = compare_runs(one_round(old), one_round(now));
  EXPECT_EQ(c.lost(), 1);
  EXPECT_EQ(c.wrong(), 0);
  ASSERT_EQ(c.groups.size(), 2u);
  EXPECT_EQ(c.groups[0].solved_before, 3);
  EXPECT_EQ(c.groups[0].solved_after, 2);
  EXPECT_EQ(c.groups[0].lost[0].instance, "p2");
  EXPECT_FALSE(c.groups[0].lost[0].near_limit);
  EXPECT_TRUE(c.groups[1].lost.empty());
  const std::string text = comparison_text(c);
  EXPECT_NE(text.find("lost: s, a, p2: solved in 100 ms -> ray after 100 ms, residual 2.5e-01, it "
                      "did not\n"),
            std::string::npos)
      << text;
  const Comparison back = compare_runs(one_round(now), one_round(old));
  EXPECT_EQ(back.lost(), 0);
  ASSERT_EQ(back.groups[0].gained.size(), 1u);
  EXPECT_EQ(compare_runs(one_round(old), one_round(old)).lost(), 0);
}

TEST(Compare, EveryLossIsNamed) {
  std::vector<Record> old, now;
  for (int k = 0; k < 40; ++k) {
    old.push_back(solved("s", "a", fmt::format("p{}", k), 0.1));
    now.push_back(failed(old.back(), "stalled"));
  }
  const std::string text = comparison_text(compare_runs(one_round(old), one_round(now)));
  for (const Record& r : old)
    EXPECT_NE(text.find(fmt::format(", {}:", r.instance)), std::string::npos);
  // Gains are counted, and a few named.
  const std::string back = comparison_text(compare_runs(one_round(now), one_round(old)));
  EXPECT_NE(back.find("gained: s, a: and 30 more"), std::string::npos) << back;
}

TEST(Compare, LossesNearTheLimitAreLabelledAndCount) {
  std::vector<Record> old = {solved("s", "a", "near", 2.6), solved("s", "a", "far", 2.4),
                             solved("s", "a", "ray", 2.6)};
  std::vector<Record> now = {failed(old[0], "time_limit"), failed(old[1], "timed_out"),
                             failed(old[2], "ray")};
  const Comparison c = compare_runs(one_round(old), one_round(now));
  EXPECT_EQ(c.lost(), 3);
  for (const ProblemChange& loss : c.groups[0].lost)
    EXPECT_EQ(loss.near_limit, loss.instance == "near");
}

TEST(Compare, ClaimsThatAreRefutedNow) {
  const std::vector<Record> old = {solved("s", "a", "p1", 0.1),
                                   failed(solved("s", "a", "p2", 0.1), "ray"),
                                   failed(solved("s", "a", "p3", 0.1), "wrong")};
  std::vector<Record> now;
  for (const Record& r : old) now.push_back(failed(r, "wrong", 0.5));
  now.push_back(failed(solved("s", "a", "p4", 0.1), "wrong"));
  const Comparison c = compare_runs(one_round(old), one_round(now));
  EXPECT_EQ(c.lost(), 1);
  EXPECT_EQ(c.wrong(), 2);  // p1 and p2; that of p3 was refuted before
  EXPECT_EQ(c.groups[0].only_after, 1);
  EXPECT_EQ(c.groups[0].wrong_alone, 1);
}

TEST(Compare, AProofCountsAsSolved) {
  Record proof = failed(solved("s", "a", "p1", 0.1), "infeasible");
  proof.family = "infeasible";
  proof.certificate = "farkas";
  Record gone = failed(proof, "stalled");
  gone.certificate = "";
  const Comparison c = compare_runs(one_round({proof}), one_round({gone}));
  EXPECT_EQ(c.groups[0].proven_before, 1);
  EXPECT_EQ(c.groups[0].solved_before, 1);
  EXPECT_EQ(c.lost(), 1);
  EXPECT_EQ(compare_runs(one_round({proof}), one_round({proof})).lost(), 0);
}

TEST(Compare, WhatIsInOneRunAloneIsTold) {
  const std::vector<Record> old = {solved("s", "a", "p1", 0.1), solved("s", "a", "p2", 0.1),
                                   solved("s", "b", "p1", 0.1), solved("old suite", "a", "q", 0.1)};
  std::vector<Record> now = {solved("s", "a", "p1", 0.1), solved("s", "a", "p3", 0.1),
                             solved("s", "c", "p1", 0.1), solved("new suite", "a", "q", 0.1)};
  const std::string text = comparison_text(compare_runs(one_round(old), one_round(now)));
  for (const char* told :
       {"in one run alone: s, a: 1 of OLD, 1 of NEW", "in one run alone: s, b: 1 of OLD, 0 of NEW",
        "in one run alone: s, c: 0 of OLD, 1 of NEW", "suite old suite is in OLD alone",
        "suite new suite is in NEW alone", "solver b on suite s is in OLD alone",
        "solver c on suite s is in NEW alone"})
    EXPECT_NE(text.find(told), std::string::npos) << told << "\n" << text;
}

TEST(Compare, OtherProblemsOfTheSameNameAreNotCompared) {
  const std::vector<Record> old = {solved("s", "a", "p1", 0.1), solved("s", "a", "p2", 0.1),
                                   solved("s", "a", "p3", 0.1)};
  std::vector<Record> now = old;
  now[0].instance_hash = "other";
  now[1].n = 11;
  for (Record& r : now) r.outcome = "ray";
  const Comparison c = compare_runs(one_round(old), one_round(now));
  const ComparedGroup& g = c.groups[0];
  EXPECT_EQ(g.compared, 1);
  EXPECT_EQ(c.lost(), 1);
  EXPECT_EQ(g.only_before, 2);
  EXPECT_EQ(g.only_after, 2);
  EXPECT_EQ(g.same_name, 2);
}

TEST(Compare, OtherSettingsStartsTolerancesAndTimeLimitsAreOtherRuns) {
  const Record usual = solved("s", "a", "p1", 0.1);
  std::vector<Record> others(5, usual);
  others[0].settings = R"({"recoveries":"0"})";
  others[1].mode = "warm";
  others[2].tolerance = 1e-6;
  others[3].time_limit = 1.0;
  others[4].label = "short";
  for (const Record& other : others) {
    EXPECT_THROW(compare_runs(one_round({usual}), one_round({other})), InputError);
    const Comparison c = compare_runs(one_round({usual, other}), one_round({usual}));
    int compared = 0, alone = 0;
    for (const ComparedGroup& g : c.groups) {
      compared += g.compared;
      alone += g.only_before + g.only_after;
    }
    EXPECT_EQ(compared, 1);
    EXPECT_EQ(alone, 1);
  }
}

TEST(Compare, MachinesBuildsAndLimitsThatDifferAreTold) {
  const Record old = solved("s", "a", "p1", 0.1);
  Record now = old;
  now.program_hash = "feed";
  now.cpu = "another one";
  now.compiler = "GNU 13";
  now.memory_limit = 100;
  const Comparison c = compare_runs(one_round({old}), one_round({now}));
  EXPECT_EQ(c.groups[0].compared, 1);
  const std::string text = comparison_text(c);
  for (const char* what : {"the builds differ", "the machines differ", "the compilers differ",
                           "the limits differ: OLD 5 s, 4096 MB, tolerance 1e-08; NEW 5 s, 100 MB"})
    EXPECT_NE(text.find(what), std::string::npos) << what << "\n" << text;
  EXPECT_NE(comparison_text(compare_runs(one_round({old}), one_round({old})))
                .find("both runs are of one build"),
            std::string::npos);
}

TEST(Compare, OfSeveralRoundsAllCount) {
  const Record good = solved("s", "a", "p1", 0.1), bad = failed(good, "crashed");
  const auto run = [](std::vector<Record> records) {
    RunRounds result{"a run", {}, 0};
    for (Record& r : records) result.rounds.push_back({std::move(r)});
    return result;
  };
  const Comparison lost = compare_runs(run({good, good, good}), run({good, bad, good}));
  EXPECT_EQ(lost.lost(), 1);
  EXPECT_EQ(lost.groups[0].uneven.size(), 1u);
  EXPECT_NE(comparison_text(lost).find("crashed (right in 2 of 3 rounds)"), std::string::npos);
  EXPECT_EQ(compare_runs(run({good, bad}), run({good, good})).groups[0].gained.size(), 1u);
  // A minority of rounds that ran out of time is the machine's doing, and told; half is a loss.
  const Record late = failed(good, "time_limit");
  const Comparison noise = compare_runs(run({good, good, good}), run({good, late, good}));
  EXPECT_EQ(noise.lost(), 0);
  EXPECT_EQ(noise.groups[0].solved_after, 1);
  EXPECT_EQ(noise.groups[0].uneven.size(), 1u);
  EXPECT_NE(comparison_text(noise).find("solved (right in 2 of 3 rounds)"), std::string::npos);
  EXPECT_EQ(compare_runs(run({good, good}), run({good, late})).lost(), 1);
  EXPECT_EQ(compare_runs(run({good, good, good}), run({bad, late, good})).lost(), 1);
  // A problem that was not solved in every round before cannot be lost, and is named all the same.
  const Comparison neither = compare_runs(run({good, bad}), run({bad, bad}));
  EXPECT_EQ(neither.lost(), 0);
  EXPECT_EQ(neither.groups[0].uneven.size(), 1u);
}

TEST(Compare, TheJsonHoldsTheSame) {
  const std::vector<Record> old = {solved("s", "a", "p1", 0.1), solved("s", "a", "p2", 0.1)};
  std::vector<Record> now = old;
  now[0] = failed(now[0], "crashed", NAN);
  const nlohmann::ordered_json j = comparison_json(compare_runs(one_round(old), one_round(now)));
  EXPECT_EQ(j["lost"], 1);
  EXPECT_EQ(j["groups"][0]["lost"][0]["instance"], "p1");
  EXPECT_EQ(j["groups"][0]["lost"][0]["new"]["outcome"], "crashed");
  EXPECT_TRUE(j["groups"][0]["lost"][0]["new"]["residual"].is_null());
  EXPECT_EQ(j["groups"][0]["time"]["timed"], 1);
  EXPECT_TRUE(j["groups"][0]["time"]["band"].is_null());  // one problem, once: nothing is known
}

}  // namespace
}  // namespace perp::test
