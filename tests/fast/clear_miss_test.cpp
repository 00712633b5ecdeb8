// A point that clearly misses is no answer, and one that is far off clearly misses.
#include "support.hpp"

#include <cmath>
#include <perp/problems/standard/clear_miss.hpp>
#include <perp/solvers/router.hpp>

namespace perp::test {
namespace {

// Whether the point clearly misses; every one that does is judged too.
template <class P>
bool misses(const P& problem, const Vector& z, double tolerance) {
  const bool clear = clearly_misses(problem, z, tolerance);
  Answer answer{z, {}};
  if constexpr (std::is_same_v<P, ConicQp>) answer.dual = Vector::Zero(problem.b.size());
  const Verdict verdict = verify(ProblemData(problem), answer, tolerance);
  EXPECT_FALSE(clear && verdict.solved) << "measure " << verdict.measure;
  return clear;
}

// Points at all distances from an answer: those far beyond the rounding of doubles and the
// tolerance must be seen, if `all_rows` are looked at. @return how many were
template <class P>
int count_misses(const P& problem, const Vector& answer, std::uint64_t seed, bool all_rows = true) {
  Random random(seed);
  int seen = 0;
  for (const double tolerance : {1e-4, 1e-8, 1e-12}) {
    for (int exponent = -16; exponent <= 1; ++exponent) {
      Vector z = answer;
      for (double& entry : z)
        entry = std::max(0.0, entry + std::pow(10.0, exponent) * random.normal());
      const bool clear = misses(problem, z, tolerance);
      seen += clear;
      if (!all_rows) continue;
      const double measure = verify(ProblemData(problem), Answer{z, {}}, tolerance).measure;
      EXPECT_TRUE(clear || measure <= std::max(3 * tolerance, 1e-9))
          << measure << " at " << tolerance;
    }
  }
  return seen;
}

template <class P>
void check_family(std::string_view family, bool all_rows = true) {
  SCOPED_TRACE(family);
  int seen = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Problem problem = generate(find_family(family), 8, seed);
    const VerifiedResult r = solve_verified(problem, {});
    ASSERT_EQ(r.status, Status::kSolved);
    seen += count_misses(std::get<P>(problem.data), r.answer.z, seed, all_rows);
  }
  EXPECT_GE(seen, 40);
}

TEST(ClearMiss, IsNeverAnAnswerAndIsSeenBeyondRounding) {
  check_family<Lcp>("contact-pile");
  check_family<Lcp>("p-matrix");
  check_family<BoxQp>("box-qp");
  check_family<FrictionContact>("friction-pile", false);
  check_family<ConicQp>("socp", false);
}

TEST(ClearMiss, KeepsToBoundsOfBothSides) {
  const Mlcp p{matrix(1, 1, {1}), vector({-5}), vector({0}), vector({2})};
  EXPECT_FALSE(misses(p, vector({2}), 1e-8));  // F = -3 at the upper bound
  EXPECT_TRUE(misses(p, vector({1}), 1e-8));
  EXPECT_TRUE(misses(p, vector({2.5}), 1e-8));
  const Mlcp fixed{matrix(1, 1, {1}), vector({-5}), vector({2}), vector({2})};
  EXPECT_FALSE(misses(fixed, vector({2}), 1e-8));
  const Mlcp free{matrix(1, 1, {1}), vector({-5}), vector({-kInf}), vector({kInf})};
  EXPECT_FALSE(misses(free, vector({5}), 1e-8));
  EXPECT_TRUE(misses(free, vector({4}), 1e-8));
}

TEST(ClearMiss, LeavesWhatDoublesCannotDecideToTheVerifier) {
  // Sums that cancel: F = 1e30 + 1e-3 - 1e30 is an answer to 1e-2; in doubles it may be anything.
  const Lcp cancels{matrix(3, 3, {1e15, 1, -1e15, 0, 1, 0, 0, 0, 1}), vector({0, -1e-3, -1e15})};
  EXPECT_FALSE(misses(cancels, vector({1e15, 1e-3, 1e15}), 1e-2));
  // Products beyond the range of doubles: F_1 = 1e400 - 1e400 = 0.
  const Lcp overflows{matrix(2, 2, {1e200, -1e200, 0, 1}), vector({0, -1e200})};
  EXPECT_FALSE(misses(overflows, vector({1e200, 1e200}), 1e-8));
  // Products below it, at tolerance 0.
  const Lcp underflows{matrix(1, 1, {1e-200}), vector({0})};
  EXPECT_FALSE(misses(underflows, vector({1e-200}), 0.0));
  EXPECT_FALSE(misses(underflows, vector({0}), 0.0));
}

TEST(ClearMiss, OfFrictionIsRelativeToTheWholeOfQ) {
  FrictionContact p;
  p.W = Matrix(DenseMatrix(DenseMatrix::Identity(6, 6)));
  p.mu = vector({0.5, 0.5});
  p.q = vector({-1e-9, 0, 0, 1e3, 0, 0});  // the first contact alone misses by 1e-9 / 1
  EXPECT_FALSE(misses(p, Vector::Zero(6), 1e-8));
  p.q[0] = -1;
  EXPECT_TRUE(misses(p, Vector::Zero(6), 1e-8));
  p.q = vector({-1e-15, 0, 0, 0, 0, 0});  // judged absolutely
  EXPECT_FALSE(misses(p, Vector::Zero(6), 1e-8));
  EXPECT_TRUE(misses(p, vector({1, 0, 0, 0, 0, 0}), 1e-8));
  p.compliance = Vector::Constant(6, 1.0);
  p.q = vector({-2, 0, 0, 1, 0, 0});
  EXPECT_FALSE(misses(p, vector({1, 0, 0, 0, 0, 0}), 1e-8));
  EXPECT_TRUE(misses(p, vector({2, 0, 0, 0, 0, 0}), 1e-8));
}

TEST(ClearMiss, OfConicProgramsLooksAtBothSides) {
  ConicQp p;
  p.P = Matrix(DenseMatrix(DenseMatrix::Zero(2, 2)));
  p.c = vector({0, 0});
  p.A = Matrix(DenseMatrix(-DenseMatrix::Identity(2, 2)));
  p.b = vector({0, 0});
  p.cones = {{ConeType::kNonnegative, 2}};
  EXPECT_FALSE(misses(p, vector({0, 0}), 1e-8));
  EXPECT_TRUE(misses(p, vector({-1, 0}), 1e-8));  // s = x
  p.cones = {{ConeType::kSecondOrder, 2}};
  EXPECT_TRUE(misses(p, vector({-1, 0}), 1e-8));
  EXPECT_FALSE(misses(p, vector({1, 1}), 1e-8));
  p.cones = {{ConeType::kZero, 2}};
  EXPECT_TRUE(misses(p, vector({0, 1}), 1e-8));
  p.c = vector({1, 0});
  EXPECT_TRUE(misses(p, vector({0, 0}), 1e-8));
}

}  // namespace
}  // namespace perp::test
