// Batches: the bits of one by one, whatever the order and the number of threads.
#include "support.hpp"

#include <perp/problems/families/family.hpp>
#include <perp/solvers/batch.hpp>
#include <perp/solvers/session.hpp>

#include <cmath>
#include <cstring>
#include <set>

namespace perp::test {
namespace {

bool same_bits(const Vector& a, const Vector& b) {
  return a.size() == b.size() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(),
                                       static_cast<std::size_t>(a.size()) * sizeof(double)) == 0);
}

// Kinds, sizes and structures in turn, none twice in a row.
std::vector<Problem> mixed_problems() {
  std::vector<Problem> problems;
  for (int seed = 1; seed <= 12; ++seed) {
    for (const char* family :
         {"contact-pile", "friction-pile", "contact-stack", "box-qp", "random-ncp", "socp"}) {
      problems.push_back(generate(find_family(family), 2 + seed % 5, 1 + seed % 7));
    }
  }
  return problems;
}

void expect_same(const VerifiedResult& one, const VerifiedResult& other, std::size_t place) {
  EXPECT_EQ(one.status, other.status) << place;
  EXPECT_EQ(one.claimed, other.claimed) << place;
  EXPECT_EQ(one.iterations, other.iterations) << place;
  EXPECT_TRUE(same_bits(one.answer.z, other.answer.z)) << place;
  EXPECT_TRUE(same_bits(one.answer.dual, other.answer.dual)) << place;
  const bool none = std::isnan(one.verdict.measure) && std::isnan(other.verdict.measure);
  EXPECT_TRUE(none || one.verdict.measure == other.verdict.measure) << place;
  EXPECT_EQ(one.verdict.vacuous, other.verdict.vacuous) << place;
  EXPECT_EQ(one.message, other.message) << place;
  EXPECT_EQ(one.start, other.start) << place;
  ASSERT_EQ(one.route.size(), other.route.size()) << place;
  for (std::size_t k = 0; k < one.route.size(); ++k) {
    EXPECT_EQ(one.route[k].solver.str(), other.route[k].solver.str()) << place;
    EXPECT_EQ(one.route[k].status, other.route[k].status) << place;
  }
}

TEST(Batch, HasTheBitsOfOneByOne) {
  const std::vector<Problem> problems = mixed_problems();
  for (const char* solver : {"auto", "newton-fb", "lemke", "nsgs", "interior-point",
                             "try(newton-fb:memory={n+1}, cap={max(1, 40-6*n)})"}) {
    SolveRequest request;
    request.solver = solver;
    std::vector<VerifiedResult> alone;
    for (const Problem& problem : problems) alone.push_back(solve_verified(problem, request));
    for (const int threads : {1, 2, 5}) {
      const std::vector<VerifiedResult> together = solve_batch(problems, request, threads);
      ASSERT_EQ(together.size(), problems.size());
      for (std::size_t i = 0; i < problems.size(); ++i) expect_same(together[i], alone[i], i);
    }
  }
}

TEST(Batch, GroupsShareAStructureAndNothingIsLost) {
  const std::vector<Problem> problems = mixed_problems();
  const auto groups = group_by_structure(problems);
  std::set<int> seen;
  for (const std::vector<int>& group : groups) {
    for (const int i : group) {
      EXPECT_TRUE(same_structure(problems[group.front()], problems[i]));
      EXPECT_TRUE(seen.insert(i).second);
    }
  }
  EXPECT_EQ(seen.size(), problems.size());
  for (std::size_t a = 0; a < groups.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b)
      EXPECT_FALSE(same_structure(problems[groups[a].front()], problems[groups[b].front()]));
  }
  EXPECT_LT(groups.size(), problems.size());
}

TEST(Batch, StoredStartsAreEachProblemsOwn) {
  std::vector<Problem> problems;
  for (int seed = 1; seed <= 3; ++seed)
    problems.push_back(generate(find_family("contact-pile"), 2, seed));
  problems[1].start = solve_verified(problems[1], {}).answer.z;
  const auto results = solve_batch(problems, {});
  EXPECT_EQ(results[0].start, "nothing");
  EXPECT_EQ(results[2].start, "nothing");
  EXPECT_EQ(results[1].start, "stored");
}

TEST(Batch, NamesTheProblemThatIsMalformed) {
  std::vector<Problem> problems;
  for (int seed = 1; seed <= 5; ++seed)
    problems.push_back(generate(find_family("contact-pile"), 2, seed));
  for (const int at : {2, 4}) std::get<Lcp>(problems[at].data).q.conservativeResize(1);
  for (const int threads : {1, 3}) {
    try {
      solve_batch(problems, {}, threads);
      ADD_FAILURE() << "a malformed problem was taken";
    } catch (const std::invalid_argument& fault) {
      EXPECT_NE(std::string(fault.what()).find("problem 2 of the batch"), std::string::npos)
          << fault.what();
    }
  }
}

TEST(Batch, RefusesWhatMakesNoSense) {
  const std::vector<Problem> problems = {generate(find_family("contact-pile"), 2, 1)};
  SolveRequest unknown;
  unknown.solver = "no-such-solver";
  EXPECT_THROW(solve_batch(problems, unknown), std::invalid_argument);
  EXPECT_THROW(solve_batch({}, unknown), std::invalid_argument);
  EXPECT_THROW(solve_batch(problems, {}, 0), std::invalid_argument);
  SolveRequest started;
  started.start = Vector::Zero(problems[0].size());
  EXPECT_THROW(solve_batch(problems, started), std::invalid_argument);
  EXPECT_TRUE(solve_batch({}, {}, 4).empty());
}

// Full matrices of one size have one structure, whatever their zeros. A solver that chooses its
// storage by the zeros must choose it anew.
TEST(Batch, FullMatricesWithOtherZerosHaveTheBitsOfOneByOne) {
  const int n = 160;
  Random random(3);
  const auto vector_of = [&] {
    Vector q(n);
    for (double& x : q) x = random.normal();
    return q;
  };
  DenseMatrix root(n, n), band = DenseMatrix::Zero(n, n), wide = DenseMatrix::Zero(n, n);
  for (double& x : root.reshaped()) x = random.normal();
  const DenseMatrix full = root * root.transpose() / n + 0.1 * DenseMatrix::Identity(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = std::max(0, i - 20); j < std::min(n, i + 21); ++j) {
      wide(i, j) = i == j ? 45.0 : -1.0;
      if (std::abs(i - j) <= 1) band(i, j) = i == j ? 2.1 : -1.0;
    }
  }
  std::vector<Problem> problems;
  for (const DenseMatrix* m :
       std::vector<const DenseMatrix*>{&full, &band, &wide, &band, &full, &wide})
    problems.push_back(problem_of(Lcp{Matrix(*m), vector_of()}));
  for (const char* solver : {"newton-fb", "josephy-newton", "box-interior-point", "lemke", "auto",
                             "proximal(newton-fb)", "pgs", "newton-min"}) {
    SolveRequest request;
    request.solver = solver;
    for (const int threads : {1, 3}) {
      const std::vector<VerifiedResult> together = solve_batch(problems, request, threads);
      for (std::size_t i = 0; i < problems.size(); ++i) {
        const VerifiedResult alone = solve_verified(problems[i], request);
        expect_same(together[i], alone, i);
        EXPECT_EQ(together[i].statistics, alone.statistics) << solver << " " << i;
      }
    }
  }
}

}  // namespace
}  // namespace perp::test
