// Every solver on random problems of every family: never wrong, never at odds with what is known.
#include "support.hpp"

#include <perp/solvers/enumeration/enumerate.hpp>
#include <perp/solvers/registry.hpp>
#include <perp/solvers/router.hpp>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>

namespace perp::test {
namespace {

constexpr int kUsual = 12;           // most problems are of at most this size
constexpr double kMostBases = 4096;  // with so many, a problem is compared with all its solutions
constexpr int kLargest = 30;
constexpr int kMostPivots = 10000;  // Murty's problem of 30 unknowns takes 2^30
constexpr double kTolerance = 1e-9;

// The size parameter of a family for which a problem has at most n unknowns.
int size_of(const Family& family, int n) {
  int size = family.size_doc == "n" ? n : std::max(1, n / 6);
  if (family.name == "obstacle") size = static_cast<int>(std::sqrt(n));
  return std::max(size, family.min_size);
}

struct Case {
  Problem problem;
  std::string name;
  std::optional<KnownOutcome> known;
};

Case random_case(int seed) {
  Random random(seed);
  const int n = 1 + random.index(random.index(4) == 0 ? kLargest : kUsual);
  const int kind = random.index(static_cast<int>(families().size()) + 6);
  if (kind >= static_cast<int>(families().size()) + 4) {
    return {problem_of(random_friction_problem(random)), "friction-" + std::to_string(seed), {}};
  }
  if (kind >= static_cast<int>(families().size())) {
    return {problem_of(random_box_problem(random, n)), "random-" + std::to_string(seed), {}};
  }
  const Family& family = families()[kind];
  std::string member;
  if (!family.members.empty())
    member = family.members[random.index(static_cast<int>(family.members.size()))].name;
  Problem p = generate(family, member.empty() ? size_of(family, n) : 0, seed, {}, member);
  std::string name = p.name;
  return {std::move(p), name, family.outcome};
}

// Complementary bases: what the enumeration has to look at.
double bases(const Mlcp& p) {
  double count = 1.0;
  for (int i = 0; i < p.size(); ++i) {
    if (p.lower[i] < p.upper[i]) count *= 1.0 + (p.lower[i] > -kInf) + (p.upper[i] < kInf);
  }
  return count;
}

// What contradicts `known` or the list of all solutions.
std::string contradiction(Status status, const std::optional<KnownOutcome>& known) {
  if (status == Status::kWrong) return "claims what the verifier denies";
  if (status == Status::kSolved && known && *known != KnownOutcome::kSolvable)
    return "solves what has no solution";
  if (status == Status::kInfeasible && known && *known == KnownOutcome::kSolvable)
    return "calls infeasible what has a solution";
  return "";
}

// 1000 problems; PERP_SWEEP=100000 runs a hundred thousand, from seed PERP_SWEEP_FROM (1) on.
TEST(Sweep, NoSolverIsEverWrong) {
  const char* asked = std::getenv("PERP_SWEEP");
  const char* begin = std::getenv("PERP_SWEEP_FROM");
  const int first = begin ? std::atoi(begin) : 1;
  const int count = asked ? std::atoi(asked) : 1000;
  ASSERT_GT(count, 0);
  std::map<std::string, std::map<std::string, int>> ends;
  for (int seed = first; seed < first + count; ++seed) {
    Case c = random_case(seed);
    if (c.problem.size() > kLargest) continue;
    const Lcp* lcp = std::get_if<Lcp>(&c.problem.data);
    const Mlcp* given = std::get_if<Mlcp>(&c.problem.data);
    const Mlcp mlcp = lcp ? to_mlcp(*lcp) : given ? *given : Mlcp{};
    if ((lcp || given) && mlcp.size() <= kMaxEnumerationSize && bases(mlcp) <= kMostBases) {
      const bool solvable = !enumerate_solutions(mlcp, kTolerance).solutions.empty();
      if (c.known) {
        EXPECT_EQ(solvable, *c.known == KnownOutcome::kSolvable) << c.name;
      } else {
        c.known = solvable ? KnownOutcome::kSolvable : KnownOutcome::kNoSolution;
      }
    }
    for (const SolverFactory& make : solver_registry()) {
      const std::unique_ptr<Solver> solver = make();
      const std::string name(solver->traits().name);
      if (name == "enumerate" || solver->refusal(c.problem)) continue;
      solver->limits.tolerance = kTolerance;
      if (name == "lemke") solver->limits.max_iterations = kMostPivots;
      const Status status = solve_with(*solver, c.problem).status;
      ++ends[name][std::string(to_string(status))];
      EXPECT_EQ(contradiction(status, c.known), "") << name << " on " << c.name;
    }
    SolveRequest request;
    request.limits.tolerance = kTolerance;
    const Status status = solve_verified(c.problem, request).status;
    const bool missed = c.known == KnownOutcome::kSolvable && status != Status::kSolved;
    ++ends["auto"][std::string(to_string(status)) + (missed ? " though solvable" : "")];
    if (missed && asked) std::cout << "auto misses " << c.name << "\n";
    EXPECT_EQ(contradiction(status, c.known), "") << "auto on " << c.name;
  }
  for (const auto& [solver, statuses] : ends) {
    for (const auto& [status, times] : statuses) {
      RecordProperty(solver + " " + status, times);
      if (asked) std::cout << solver << " " << status << ": " << times << "\n";
    }
  }
}

TEST(Router, AutoSolvesNonmonotoneProblemsOf40Unknowns) {
  for (int seed = 1; seed <= 20; ++seed) {
    SolveRequest request;
    request.limits.tolerance = 1e-10;
    const VerifiedResult r =
        solve_verified(generate(find_family("nonmonotone"), 40, seed), request);
    EXPECT_EQ(r.status, Status::kSolved) << seed;
  }
}

}  // namespace
}  // namespace perp::test
