// The semismooth Newton solver on more than ten thousand small members of every family: never a
// wrong claim, and solutions found where enumeration finds any, if other starts follow.
#include "support.hpp"

#include <perp/solvers/enumeration/enumerate.hpp>
#include <perp/solvers/router.hpp>
#include <perp/solvers/semismooth_newton/newton_fb.hpp>

#include <map>

namespace perp::test {
namespace {

constexpr int kEnumerated = 12;
constexpr const char* kFurtherTries =
    "first(newton-fb:function=penalised:inside=always, repeat(20, "
    "try(newton-fb:patience=60:least_squares=always, from=random:{k})))";

struct Count {
  int problems = 0, solved_at_once = 0, solved = 0;
  int solvable = 0;  // of those that were enumerated
  int missed = 0;    // solvable, but not solved
};

bool has_solution(const Problem& p) {
  return !enumerate_solutions(to_mlcp(std::get<Lcp>(p.data)), 1e-9).solutions.empty();
}

bool by_further_tries(const Problem& p) {
  SolveRequest request;
  request.solver = kFurtherTries;
  request.limits.tolerance = 1e-9;
  return solve_verified(p, request).status == Status::kSolved;
}

void try_member(const Family& family, int size, int seed, Count& count) {
  const Problem p = generate(family, size, seed);
  NewtonFb solver;
  solver.limits.tolerance = 1e-9;
  solver.prepare(p);
  const Result& r = solver.solve();
  bool solved = r.status == Status::kSolved;
  EXPECT_EQ(solved, verify(p, {r.z, {}}, 1e-9).solved) << p.name << " " << to_string(r.status);
  EXPECT_TRUE(solved || r.status == Status::kStationary || r.status == Status::kStalled ||
              r.status == Status::kIterationLimit)
      << p.name;
  ++count.problems;
  count.solved_at_once += solved;
  if (!solved && family.outcome == KnownOutcome::kSolvable) solved = by_further_tries(p);
  count.solved += solved;
  if (p.size() > kEnumerated) return;
  const bool solvable = family.outcome == KnownOutcome::kSolvable || has_solution(p);
  count.solvable += solvable;
  count.missed += solvable && !solved;
  EXPECT_TRUE(solvable || !solved) << p.name;
}

TEST(NewtonFbFull, IsHonestOnEveryFamily) {
  int problems = 0;
  for (const Family& family : families()) {
    if (!family.members.empty()) continue;  // nonlinear
    if (generate(family, 0, 1).kind() != "lcp") continue;
    Count count;
    const bool contact = family.name.starts_with("contact");
    const int largest = contact ? 5 : family.name == "obstacle" ? 5 : 30;
    const int seeds = family.seeded ? (contact ? 200 : 45) : 1;
    for (int size = family.min_size; size <= largest; ++size) {
      for (int seed = 1; seed <= seeds; ++seed) try_member(family, size, seed, count);
    }
    problems += count.problems;
    RecordProperty(std::string(family.name) + "_problems", count.problems);
    RecordProperty(std::string(family.name) + "_solved", count.solved);
    RecordProperty(std::string(family.name) + "_missed", count.missed);
    if (family.outcome != KnownOutcome::kSolvable) {
      EXPECT_EQ(count.solved, 0) << family.name;
    } else {
      EXPECT_GE(count.solved, (family.name == "nonmonotone" ? 0.97 : 1.0) * count.problems)
          << family.name;
      // Alone: half of what is not monotone, and nearly all of the rest.
      EXPECT_GE(count.solved_at_once, (family.name == "nonmonotone" ? 0.45 : 0.9) * count.problems)
          << family.name;
    }
    EXPECT_LE(count.missed, count.solvable / 100) << family.name;
  }
  EXPECT_GE(problems, 10000);
}

}  // namespace
}  // namespace perp::test
