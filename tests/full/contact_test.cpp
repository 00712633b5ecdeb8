// The contact LCPs on which most packaged solvers fail: all of them, at 1e-10.
#include "support.hpp"

namespace perp::test {
namespace {

struct ContactFamily {
  const char* family;
  int contacts, first_seed, last_seed;
};

class ContactLcps : public ::testing::TestWithParam<ContactFamily> {};

TEST_P(ContactLcps, AllAreSolved) {
  const ContactFamily& c = GetParam();
  int solved = 0;
  for (int seed = c.first_seed; seed <= c.last_seed; ++seed) {
    const Problem p = generate(find_family(c.family), c.contacts, seed);
    const Solved s = solve_by_lemke(p);
    EXPECT_EQ(s.status, Status::kSolved) << p.name;
    EXPECT_LE(s.verdict.measure, 1e-10) << p.name;
    EXPECT_LE(s.pivots, 20 * c.contacts) << p.name;
    solved += s.verdict.solved;
  }
  EXPECT_EQ(solved, c.last_seed - c.first_seed + 1);
}

INSTANTIATE_TEST_SUITE_P(
    Families, ContactLcps,
    ::testing::Values(
        ContactFamily{"contact-stack", 20, 1, 100}, ContactFamily{"contact-pile", 20, 1, 100},
        ContactFamily{"contact-stack", 50, 1, 20}, ContactFamily{"contact-pile", 50, 1, 20},
        ContactFamily{"contact-stack", 100, 1, 5}, ContactFamily{"contact-pile", 100, 1, 5},
        ContactFamily{"contact-stack", 200, 1, 5}, ContactFamily{"contact-pile", 200, 1, 5},
        ContactFamily{"contact-tower", 100, 1, 5}, ContactFamily{"contact-stack", 23, 1, 10},
        ContactFamily{"contact-pile", 1, 1, 10}),
    [](const auto& tested) {
      std::string name = tested.param.family + std::to_string(tested.param.contacts);
      std::erase(name, '-');
      return name;
    });

TEST(Obstacle, SparseProblemsWithManyTies) {
  for (const int grid : {10, 20, 30}) {
    const Problem p = generate(find_family("obstacle"), grid, 1);
    EXPECT_EQ(solve_by_lemke(p).status, Status::kSolved) << grid;
  }
}

TEST(Exponential, FourteenPairsTakeAllBases) {
  for (const char* name : {"murty", "fathi"}) {
    const Solved s = solve_by_lemke(generate(find_family(name), 14, 1));
    EXPECT_EQ(s.status, Status::kSolved);
    EXPECT_EQ(s.pivots, (1 << 14) - 1);
  }
}

TEST(Psd, LargeDenseProblems) {
  for (const char* name : {"psd", "psd-deficient", "p-matrix"}) {
    const Problem p = generate(find_family(name), 400, 1);
    EXPECT_EQ(solve_by_lemke(p).status, Status::kSolved) << p.name;
  }
}

}  // namespace
}  // namespace perp::test
