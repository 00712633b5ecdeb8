// Lemke's method: known problems, known pivot counts, ends, starts, settings.
#include "support.hpp"

#include <fmt/format.h>
#include <perp/bench/data/data_files.hpp>
#include <perp/problems/io/problem_file.hpp>
#include <perp/problems/limits/current_deadline.hpp>
#include <perp/solvers/enumeration/enumerate.hpp>
#include <perp/solvers/pivoting/farkas.hpp>

#include <filesystem>

namespace perp::test {
namespace {

std::vector<std::string> collection(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& e :
       std::filesystem::directory_iterator(data_root() / "problems/collections" / folder)) {
    if (e.path().extension() != ".md") files.push_back(e.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(Lemke, SolvesTheLiteratureLcps) {
  int solved = 0;
  for (const std::string& file : collection("siconos/lcp")) {
    if (file.find("lcp_CPS_3") != std::string::npos) continue;  // a test of its own below
    EXPECT_EQ(solve_by_lemke(read_problem(file)).status, Status::kSolved) << file;
    ++solved;
  }
  EXPECT_EQ(solved, 10);
}

TEST(Lemke, SolvesTheLiteratureMlcps) {
  int solved = 0;
  for (const std::string& file : collection("siconos/mlcp")) {
    EXPECT_EQ(solve_by_lemke(read_problem(file)).status, Status::kSolved) << file;
    ++solved;
  }
  EXPECT_EQ(solved, 13);
}

TEST(Lemke, SolvesContactsThatTieAllButExactly) {
  int solved = 0;
  for (const std::string& file : collection("degenerate")) {
    const Solved s = solve_by_lemke(read_problem(file));
    EXPECT_EQ(s.status, Status::kSolved) << file;
    ++solved;
  }
  EXPECT_EQ(solved, 3);
}

// M >= 0 with zero diagonal, q < 0: whatever positive covering vector is taken, the first column
// that enters lowers nothing, so the path is a ray at once. Solutions exist, and other starting
// bases reach them.
TEST(Lemke, Cps3EndsOnARayForEveryCoveringVectorButNotFromEveryBasis) {
  const Problem p = read_problem(data_root() / "problems/collections/siconos/lcp/lcp_CPS_3.json");
  EXPECT_EQ(enumerate_solutions(to_mlcp(std::get<Lcp>(p.data)), 1e-12).solutions.size(), 3u);
  for (int seed = 0; seed < 100; ++seed) {
    LemkeSettings settings;
    if (seed > 0) settings.covering = "random:" + std::to_string(seed);
    const Solved s = solve_by_lemke(p, 1e-10, settings);
    EXPECT_EQ(s.status, Status::kRay);
    EXPECT_EQ(s.pivots, 0);
    ASSERT_TRUE(s.certificate.has_value());
    EXPECT_EQ(s.certificate->type, "ray");
  }
  int reached = 0, after_pivots = 0;
  for (int bits = 1; bits < 16; ++bits) {
    Lemke lemke;
    lemke.limits.tolerance = 1e-10;
    lemke.prepare(p);
    std::vector<PairStatus> start(4, PairStatus::kAtLower);
    for (int i = 0; i < 4; ++i) {
      if (bits >> i & 1) start[i] = PairStatus::kBasic;
    }
    const Result& r = lemke.solve({nullptr, nullptr, &start});
    reached += r.status == Status::kSolved;
    after_pivots += r.status == Status::kSolved && r.iterations > 0;
  }
  EXPECT_GE(reached, 3);
  RecordProperty("reached_after_pivots", after_pivots);
}

class Exponential : public ::testing::TestWithParam<std::tuple<const char*, int>> {};

// 2^n - 1 pivots after the entry of the covering variable [Murty1978; Fathi1979].
TEST_P(Exponential, PivotCountIsTwoToTheNMinusOne) {
  const auto& [name, n] = GetParam();
  const Solved s = solve_by_lemke(generate(find_family(name), n, 1));
  EXPECT_EQ(s.status, Status::kSolved);
  EXPECT_EQ(s.pivots, (1 << n) - 1);
}

TEST_P(Exponential, ReversedOrientationIsHarmless) {
  const auto& [name, n] = GetParam();
  const Solved s = solve_by_lemke(generate(find_family(name), n, 1, {{"reversed", 1.0}}));
  EXPECT_EQ(s.status, Status::kSolved);
  EXPECT_LE(s.pivots, n);
}

INSTANTIATE_TEST_SUITE_P(Families, Exponential,
                         ::testing::Combine(::testing::Values("murty", "fathi"),
                                            ::testing::Range(1, 13)));

// The path ends on a ray, which proves nothing; the search for a certificate does.
TEST(Lemke, InfeasibleProblemsEndOnARayAndAFarkasCertificateIsFound) {
  for (int seed = 1; seed <= 30; ++seed) {
    const Problem p = generate(find_family("infeasible"), 5 + seed, seed);
    const Solved s = solve_by_lemke(p);
    EXPECT_EQ(s.status, Status::kRay) << p.name;
    ASSERT_TRUE(s.certificate.has_value());
    EXPECT_EQ(s.certificate->type, "ray");
    EXPECT_EQ(s.certificate->checked, check_ray(to_mlcp(std::get<Lcp>(p.data)), s.certificate->z));
    const auto farkas = find_farkas(to_mlcp(std::get<Lcp>(p.data)), 0.0, nullptr);
    ASSERT_TRUE(farkas.has_value()) << p.name;
    EXPECT_TRUE(check_farkas(std::get<Lcp>(p.data), farkas->y).holds) << p.name;
  }
}

TEST(Lemke, FeasibleWithoutSolutionIsARayOnly) {
  for (int seed = 1; seed <= 20; ++seed) {
    const Problem p = generate(find_family("no-solution"), 4 + seed, seed);
    EXPECT_EQ(solve_by_lemke(p).status, Status::kRay) << p.name;
    std::optional<Vector> feasible;
    EXPECT_FALSE(find_farkas(to_mlcp(std::get<Lcp>(p.data)), 0.0, &feasible).has_value());
    EXPECT_TRUE(feasible.has_value()) << p.name;
  }
}

TEST(Lemke, TrivialAndEmptyProblemsTakeNoPivot) {
  EXPECT_EQ(solve_by_lemke(problem_of(Lcp{matrix(2, 2, {0, 1, 1, 0}), vector({1, 0})})).pivots, 0);
  const Problem empty = problem_of(Lcp{DenseMatrix(0, 0), Vector(0)});
  EXPECT_EQ(solve_by_lemke(empty).status, Status::kSolved);
  const Problem fixed = problem_of(Mlcp{matrix(1, 1, {1}), vector({7}), vector({3}), vector({3})});
  const Solved s = solve_by_lemke(fixed);
  EXPECT_EQ(s.status, Status::kSolved);
  EXPECT_EQ(s.z[0], 3.0);
}

TEST(Lemke, BoundFlipsAreTaken) {
  // z in [0, 1], F = z - 5 < 0 throughout: z goes to its upper bound.
  Lemke lemke;
  lemke.prepare(problem_of(Mlcp{matrix(1, 1, {1}), vector({-5}), vector({0}), vector({1})}));
  const Result& r = lemke.solve();
  EXPECT_EQ(r.status, Status::kSolved);
  EXPECT_EQ(r.z[0], 1.0);
  EXPECT_EQ(statistic(r, "flips"), 1.0);
}

TEST(Lemke, UpperBoundedAndFreeVariables) {
  // z0 <= 2 with F0 <= 0 there, z1 free with F1 = 0: z = (2, 1).
  const Mlcp p{matrix(2, 2, {1, 1, 1, 1}), vector({-4, -3}), vector({-kInf, -kInf}),
               vector({2, kInf})};
  const Solved s = solve_by_lemke(problem_of(p));
  EXPECT_EQ(s.status, Status::kSolved);
  EXPECT_NEAR(s.z[0], 2.0, 1e-14);
  EXPECT_NEAR(s.z[1], 1.0, 1e-14);
}

// KKT conditions of a random equality-constrained QP with too many equations: M_FF is singular, but
// the bounded variables complete it.
TEST(Lemke, SingularFreeBlockIsCompletedByPartners) {
  for (int seed = 1; seed <= 30; ++seed) {
    Random random(seed);
    const int x = 8, y = 4;  // x >= 0, multipliers y of A x = b free, no curvature in y
    const DenseMatrix a = gaussian(random, y, x), h = gaussian(random, x, 3);
    DenseMatrix m = DenseMatrix::Zero(x + y, x + y);
    m.topLeftCorner(x, x) = h * h.transpose();
    m.topRightCorner(x, y) = -a.transpose();
    m.bottomLeftCorner(y, x) = a;
    Vector feasible(x), q(x + y), lower = Vector::Zero(x + y);
    for (double& v : feasible) v = random.uniform(0.0, 1.0);
    q << gaussian(random, x, 1).cwiseAbs(), -a * feasible;
    lower.tail(y).setConstant(-kInf);
    const Problem p = problem_of(Mlcp{m, q, lower, Vector::Constant(x + y, kInf)});
    Lemke lemke;
    lemke.limits.tolerance = 1e-10;
    lemke.prepare(p);
    const Result& r = lemke.solve();
    EXPECT_EQ(r.status, Status::kSolved) << seed;
    EXPECT_EQ(statistic(r, "partners"), y);
    EXPECT_EQ(statistic(r, "split_pairs"), 0);
    EXPECT_TRUE(verify(p, {r.z, {}}, 1e-10).solved);
  }
}

TEST(Lemke, RedundantEquationsAreSplitAndSolved) {
  // Two equal equations in two free unknowns, no bounded variable to help: x0 + x1 = 1 twice.
  const Problem p = problem_of(Mlcp{matrix(2, 2, {1, 1, 1, 1}), vector({-1, -1}),
                                    vector({-kInf, -kInf}), vector({kInf, kInf})});
  Lemke lemke;
  lemke.prepare(p);
  const Result& r = lemke.solve();
  EXPECT_EQ(statistic(r, "split_pairs"), 1);
  EXPECT_EQ(r.status, Status::kSolved);
  EXPECT_NEAR(r.z.sum(), 1.0, 1e-14);
}

TEST(Lemke, ContradictoryEquationsEndOnARayAndAFarkasCertificateIsFound) {
  const Mlcp mlcp{matrix(2, 2, {1, 1, 1, 1}), vector({-1, -2}), vector({-kInf, -kInf}),
                  vector({kInf, kInf})};
  EXPECT_EQ(solve_by_lemke(problem_of(mlcp)).status, Status::kRay);
  const auto farkas = find_farkas(mlcp, 0.0, nullptr);
  EXPECT_TRUE(farkas && farkas->check.holds);
}

TEST(Lemke, StartsFromAGivenBasis) {
  const Problem p = generate(find_family("contact-stack"), 12, 3);
  Lemke lemke;
  lemke.limits.tolerance = 1e-10;
  lemke.prepare(p);
  const Vector z = lemke.solve().z;
  EXPECT_GT(lemke.solve().iterations, 10);
  const std::vector<PairStatus> basis = lemke.solve().basis;
  const Result& warm = lemke.solve({nullptr, nullptr, &basis});
  EXPECT_EQ(warm.status, Status::kSolved);
  EXPECT_EQ(warm.iterations, 0);
  EXPECT_LT((warm.z - z).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(Lemke, WarmStartAfterASmallChangeTakesFewPivots) {
  Problem p = generate(find_family("contact-pile"), 20, 5);
  Lemke lemke;
  lemke.limits.tolerance = 1e-10;
  lemke.prepare(p);
  const int cold = lemke.solve().iterations;
  const std::vector<PairStatus> basis = lemke.solve().basis;
  Random random(9);
  for (double& x : std::get<Lcp>(p.data).q.head(100)) x += 1e-4 * random.normal();
  lemke.update(p);
  const Result& warm = lemke.solve({nullptr, nullptr, &basis});
  EXPECT_EQ(warm.status, Status::kSolved);
  EXPECT_LT(warm.iterations, cold / 2);
}

TEST(Lemke, OfASingularStartThePairsThatAreIndependentAreKept) {
  const Problem p = problem_of(Lcp{matrix(2, 2, {1, 1, 1, 1}), vector({-1, -1})});
  Lemke lemke;
  lemke.prepare(p);
  const std::vector<PairStatus> basis{PairStatus::kBasic, PairStatus::kBasic};
  const Result& r = lemke.solve({nullptr, nullptr, &basis});
  EXPECT_EQ(r.status, Status::kSolved);
  EXPECT_EQ(r.iterations, 0);  // one of the two is enough
}

TEST(Lemke, TheStartMayBeAPoint) {
  const Problem p = generate(find_family("psd"), 30, 2);
  Lemke lemke;
  lemke.limits.tolerance = 1e-10;
  lemke.prepare(p);
  const Vector z = lemke.solve().z;
  const std::vector<PairStatus> basis = lemke.solve().basis;
  const Result& again = lemke.solve(&z);
  EXPECT_EQ(again.status, Status::kSolved);
  EXPECT_EQ(again.iterations, 0);
  EXPECT_EQ(again.z, z);
  EXPECT_EQ(again.basis, basis);
  Vector near = z;  // the same basis, but no solution: one refinement away
  for (double& x : near) x *= 1.001;
  EXPECT_EQ(lemke.solve(&near).iterations, 0);
  EXPECT_LT((lemke.solve(&near).z - z).cwiseAbs().maxCoeff(), 1e-12 * z.cwiseAbs().maxCoeff());
  const Vector wrong = Vector::Zero(3);
  EXPECT_THROW(lemke.solve(&wrong), std::invalid_argument);
}

TEST(Lemke, UpdatesGiveWhatRefactoringGives) {
  for (const char* name : {"contact-stack", "contact-pile", "psd-deficient"}) {
    const Problem p = generate(find_family(name), 20, 7);
    LemkeSettings plain, always;
    always.refactor_always = true;
    const Solved a = solve_by_lemke(p, 1e-10, plain), b = solve_by_lemke(p, 1e-10, always);
    EXPECT_EQ(a.status, Status::kSolved);
    EXPECT_EQ(b.status, Status::kSolved);
    EXPECT_EQ(a.pivots, b.pivots) << name;  // the same path
    EXPECT_LT((a.z - b.z).cwiseAbs().maxCoeff(), 1e-9) << name;
    EXPECT_LT(a.factorisations, b.factorisations / 3) << name;
  }
}

TEST(Lemke, DenseAndSparseStorageGiveTheSameAnswer) {
  Problem p = generate(find_family("contact-pile"), 30, 1);  // n = 180: sparse kernel
  const Solved sparse = solve_by_lemke(p);
  Lcp& lcp = std::get<Lcp>(p.data);
  lcp.M = Matrix(lcp.M.to_dense());
  const Solved dense = solve_by_lemke(p);
  EXPECT_EQ(sparse.status, Status::kSolved);
  EXPECT_EQ(dense.status, Status::kSolved);
  EXPECT_EQ(sparse.pivots, dense.pivots);
  EXPECT_LT((sparse.z - dense.z).cwiseAbs().maxCoeff(), 1e-9);
}

// Rows and columns scaled over sixteen decades: equilibration must bring the solution back.
TEST(Lemke, BadScalingIsUndone) {
  for (int seed = 1; seed <= 10; ++seed) {
    Random random(seed);
    Problem p = generate(find_family("contact-pile"), 5, seed);
    Lcp& lcp = std::get<Lcp>(p.data);
    const int n = lcp.size();
    Vector row(n), col(n);
    for (int i = 0; i < n; ++i) {
      row[i] = std::exp2(random.index(27) - 13);
      col[i] = std::exp2(random.index(27) - 13);
    }
    const Solved reference = solve_by_lemke(p);
    lcp.M = Matrix(DenseMatrix(row.asDiagonal() * lcp.M.to_dense() * col.asDiagonal()));
    lcp.q = row.cwiseProduct(lcp.q);
    const Solved s = solve_by_lemke(p, 1e-8);
    EXPECT_EQ(reference.status, Status::kSolved);
    EXPECT_EQ(s.status, Status::kSolved) << seed;
  }
}

TEST(Lemke, ObserverSeesEveryPivotAndMayStop) {
  const Problem p = generate(find_family("contact-stack"), 8, 1);
  Lemke lemke;
  lemke.prepare(p);
  IterationRecords recorder;
  const int iterations = lemke.solve(nullptr, &recorder).iterations;
  EXPECT_EQ(iterations, static_cast<int>(recorder.records.size()));
  EXPECT_EQ(recorder.records.back().leaving, -1);  // t leaves last
  recorder.stop_after = iterations + 3;
  EXPECT_EQ(lemke.solve(nullptr, &recorder).status, Status::kInterrupted);
}

TEST(Lemke, LimitsAreHonest) {
  const Problem p = generate(find_family("murty"), 20, 1);
  Lemke lemke;
  lemke.prepare(p);
  lemke.limits.max_iterations = 1000;
  EXPECT_EQ(lemke.solve().status, Status::kIterationLimit);
  EXPECT_EQ(lemke.solve().iterations, 1000);
  lemke.limits.max_iterations = 0;
  lemke.limits.time_limit = 0.02;
  EXPECT_EQ(lemke.solve().status, Status::kTimeLimit);
}

TEST(Lemke, CoveringVectorCanBeGiven) {
  const Problem p = problem_of(Lcp{matrix(2, 2, {2, 1, 1, 2}), vector({-5, -6})});
  for (const char* covering : {"unit", "1,2", "0.5,3", "random:4"}) {
    LemkeSettings settings;
    settings.covering = covering;
    const Solved s = solve_by_lemke(p, 1e-12, settings);
    EXPECT_EQ(s.status, Status::kSolved);
    EXPECT_NEAR(s.z[0], 4.0 / 3.0, 1e-14);
  }
  for (const char* covering : {"1", "1,2,3", "1,x", "-1,1", "1,0", "random:", "nonsense"}) {
    Lemke lemke;
    lemke.settings.covering = covering;
    const auto run = [&] {
      lemke.prepare(p);
      lemke.solve();
    };
    EXPECT_THROW(run(), std::invalid_argument) << covering;
  }
}

// t = 0.875 / d is rounded: for about every fourth d, t d is an ulp above .875, and without a
// tolerance no value seems to be at its bound.
TEST(Lemke, TakesNoToleranceForTies) {
  const Problem p = problem_of(Lcp{matrix(1, 1, {1}), vector({-1.75})});
  Random random(3);
  for (int k = 0; k < 100; ++k) {
    LemkeSettings settings;
    settings.tie_tolerance = 0.0;
    settings.covering = k == 0 ? "0.3" : fmt::format("{}", random.uniform(0.1, 2.0));
    const Solved s = solve_by_lemke(p, 1e-12, settings);
    EXPECT_EQ(s.status, Status::kSolved) << settings.covering;
    EXPECT_EQ(s.z[0], 1.75) << settings.covering;
  }
}

// One path and no other: a start that leads to a ray is not replaced by the default one.
TEST(Lemke, AStartMayLeadNowhereThoughTheDefaultOneSolves) {
  int rays = 0;
  for (int seed = 1; seed <= 20; ++seed) {
    const Problem p = generate(find_family("nonmonotone"), 8, seed);
    Lemke lemke;
    lemke.prepare(p);
    if (lemke.solve().status != Status::kSolved) continue;
    for (int bits = 1; bits < 256; ++bits) {
      std::vector<PairStatus> start(8, PairStatus::kAtLower);
      for (int i = 0; i < 8; ++i) {
        if (bits >> i & 1) start[i] = PairStatus::kBasic;
      }
      rays += lemke.solve({nullptr, nullptr, &start}).status == Status::kRay;
    }
  }
  EXPECT_GT(rays, 0);
}

TEST(Lemke, AnUpdateGivesTheBitsOfANewPreparation) {
  const auto compare = [](const Problem& before, const Problem& now) {
    Lemke fresh, updated;
    updated.prepare(before);
    updated.solve();
    updated.update(now);
    fresh.prepare(now);
    const Result &a = fresh.solve(), &b = updated.solve();
    EXPECT_EQ(a.status, Status::kSolved) << now.name;
    EXPECT_EQ(a.status, b.status);
    EXPECT_EQ(a.z, b.z);
    EXPECT_EQ(a.basis, b.basis);
    EXPECT_EQ(a.iterations, b.iterations);
    EXPECT_EQ(a.statistics, b.statistics);
  };
  for (const char* name : {"contact-stack", "contact-pile", "psd"}) {
    const Problem p = generate(find_family(name), 30, 1);
    Problem other = p;
    Lcp& lcp = std::get<Lcp>(other.data);
    Random random(3);
    for (double& x : lcp.q) x *= 1.0 + 0.2 * random.uniform();
    if (lcp.M.is_sparse()) lcp.M.sparse() *= 1.5;
    compare(p, other);
    compare(other, p);
  }
  // The rank of the free block changes with the values: other pairs, and one that is split.
  const Vector free = vector({-kInf, -kInf});
  const Problem regular =
      problem_of(Mlcp{matrix(2, 2, {1, 1, 1, 2}), vector({-1, -1}), free, -free});
  const Problem singular =
      problem_of(Mlcp{matrix(2, 2, {1, 1, 1, 1}), vector({-1, -1}), free, -free});
  compare(regular, singular);
  compare(singular, regular);
}

// Small integers, so that rows tie all the time. M is copositive-plus, for which every feasible
// problem is solved by the lexicographic rule.
TEST(Lemke, TheLargestPivotMayLeaveWhereRowsTie) {
  Random random(11);
  int solved[2] = {0, 0}, other = 0;
  for (int k = 0; k < 300; ++k) {
    const int n = 8;
    DenseMatrix m = DenseMatrix::Zero(n, n);
    const auto integer = [&] { return std::round(random.uniform(-1, 1)); };
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < i; ++j) {
        m(i, j) = integer();
        m(j, i) = -m(i, j);
      }
    }
    Vector q(n);
    for (int i = 0; i < n; ++i) q[i] = integer();
    const Problem p = problem_of(Lcp{Matrix(m), q});
    Vector z[2];
    for (const bool largest : {false, true}) {
      Lemke lemke;
      lemke.settings.ties = largest ? "largest-pivot" : "lexicographic";
      lemke.prepare(p);
      const Result& r = lemke.solve();
      solved[largest] += r.status == Status::kSolved;
      z[largest] = r.z;
      if (largest || r.status == Status::kSolved) continue;
      EXPECT_EQ(r.status, Status::kRay) << r.message;
      EXPECT_TRUE(find_farkas(to_mlcp(std::get<Lcp>(p.data)), 0.0, nullptr).has_value());
    }
    other += z[0] != z[1];
  }
  EXPECT_LE(solved[1], solved[0]);
  EXPECT_GT(other, 0);
}

TEST(Lemke, WithoutTiesNoRuleMatters) {
  Random random(7);
  DenseMatrix g = DenseMatrix::Zero(20, 20);
  for (int j = 0; j < 20; ++j) g.col(j) = gaussian(random, 20, 1);
  const Problem q =
      problem_of(Lcp{Matrix(DenseMatrix(g * g.transpose())), Vector(gaussian(random, 20, 1))});
  Lemke a, b;
  b.settings.ties = "largest-pivot";
  a.prepare(q);
  b.prepare(q);
  EXPECT_EQ(a.solve().z, b.solve().z);
  b.settings.ties = "any";
  EXPECT_THROW(b.solve(), std::invalid_argument);
}

TEST(Lemke, SettingsAreListedAndSetByName) {
  Lemke lemke;
  set_setting(lemke, "tie_tolerance", "1e-9");
  set_setting(lemke, "refactor_always", "true");
  set_setting(lemke, "tolerance", "1e-6");
  EXPECT_EQ(lemke.settings.tie_tolerance, 1e-9);
  EXPECT_TRUE(lemke.settings.refactor_always);
  EXPECT_EQ(lemke.limits.tolerance, 1e-6);
  EXPECT_THROW(set_setting(lemke, "tie_tolerance", "abc"), std::invalid_argument);
  EXPECT_THROW(set_setting(lemke, "tie_tolerance", "-1"), std::invalid_argument);
  EXPECT_THROW(set_setting(lemke, "no_such", "1"), std::invalid_argument);
  EXPECT_EQ(list_settings(lemke).size(), 3u + 8u);
}

TEST(Lemke, SameBuildSameBits) {
  const Problem p = generate(find_family("contact-pile"), 20, 2);
  const Solved a = solve_by_lemke(p), b = solve_by_lemke(p);
  EXPECT_EQ(a.z, b.z);
}

TEST(Lemke, RefusesWhatItCannotTake) {
  Lemke lemke;
  FrictionContact friction;
  friction.W = Matrix(DenseMatrix(DenseMatrix::Identity(3, 3)));
  friction.q = vector({1, 0, 0});
  friction.mu = vector({0.5});
  EXPECT_TRUE(lemke.refusal(problem_of(friction)).has_value());
  EXPECT_THROW(lemke.prepare(problem_of(friction)), std::invalid_argument);
  EXPECT_THROW(lemke.solve(), std::logic_error);
}

// The first basis is factorised for long, and no observer is asked meanwhile.
TEST(Lemke, EndsInAFactorisation) {
  const int n = 1500;
  Random random(6);
  std::vector<Eigen::Triplet<double>> entries;
  for (int j = 0; j < n; ++j) {
    entries.emplace_back(j, j, 10.0);
    for (int k = 0; k < 4; ++k) entries.emplace_back(random.index(n), j, random.normal());
  }
  SparseMatrix M(n, n);
  M.setFromTriplets(entries.begin(), entries.end());
  Lemke lemke;
  lemke.prepare(problem_of(Lcp{Matrix(M), Vector::Constant(n, -1.0)}));
  const Vector inside = Vector::Ones(n);
  CurrentDeadline::set_probe([] { return true; });
  const Result& stopped = lemke.solve(&inside);
  CurrentDeadline::set_probe(nullptr);
  EXPECT_EQ(stopped.status, Status::kInterrupted);
  EXPECT_EQ(stopped.iterations, 0);
  lemke.limits.time_limit = 1e-9;
  EXPECT_EQ(lemke.solve(&inside).status, Status::kTimeLimit);
}

// M + M' is positive definite: t is monotone along the path, which cannot return. With bounds on
// both sides a basis may have the same basic variables as the first one, with others at the upper
// bound.
TEST(Lemke, AnotherUpperBoundIsAnotherBasis) {
  const Problem p = problem_of(Mlcp{matrix(3, 3, {2, 4, -2, -4, 4, 1, 2, -1, 1}),
                                    vector({-4, 6, -5}), vector({0, 0, 0}), vector({1, 2, 1})});
  Lemke lemke;
  lemke.limits.tolerance = 1e-10;
  lemke.prepare(p);
  const Vector start = vector({0, 1, 0});
  const Result& r = lemke.solve(&start);
  EXPECT_EQ(r.status, Status::kSolved) << r.message;
  EXPECT_EQ(r.z, vector({1, 0, 1}));
  Random random(4);
  for (int k = 0; k < 3000; ++k) {
    const int n = 2 + random.index(6);
    DenseMatrix root(n, n), skew(n, n);
    Mlcp q{{}, Vector(n), Vector::Zero(n), Vector(n)};
    Vector from(n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j)
        root(i, j) = random.index(5) - 2, skew(i, j) = random.index(9) - 4;
      q.q[i] = random.index(13) - 6;
      q.upper[i] = 1 + random.index(3);
      from[i] = random.index(4);
    }
    q.M = Matrix(DenseMatrix(root * root.transpose() + DenseMatrix::Identity(n, n) + skew -
                             skew.transpose()));
    lemke.prepare(problem_of(q));
    const Result& any = lemke.solve(&from);
    EXPECT_NE(any.status, Status::kStalled) << k << " " << any.message;
  }
}

}  // namespace
}  // namespace perp::test
