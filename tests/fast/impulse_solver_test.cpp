// What the methods on impulses claim of programs of velocities alone, and that nothing of a solve
// is left in the next one.
#include "support.hpp"

#include <perp/problems/standard/random.hpp>
#include <perp/solvers/batch.hpp>
#include <perp/solvers/block_interior_point/block_augmented_lagrangian.hpp>
#include <perp/solvers/session.hpp>

#include <limits>
#include <memory>
#include <numeric>

namespace perp::test {
namespace {

std::vector<int> first_numbers(int n) {
  std::vector<int> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// min 1/2 |v|^2 + c'v subject to J v >= b, contact by contact in a cone of this size.
Problem program_of(const DenseMatrix& J, const Vector& c, const Vector& b, int size) {
  const int n = static_cast<int>(J.cols()), m = static_cast<int>(J.rows());
  ConicQp qp;
  qp.P = DenseMatrix(DenseMatrix::Identity(n, n));
  qp.c = c;
  qp.A = DenseMatrix(-J);
  qp.b = -b;
  Partition parts;
  parts.velocities = {first_numbers(n), std::vector<int>(n, 1), {}};
  parts.contacts = {{}, std::vector<int>(m / size, size), first_numbers(m)};
  for (int k = 0; k < m / size; ++k)
    qp.cones.push_back({size == 1 ? ConeType::kNonnegative : ConeType::kSecondOrder, size});
  qp.partition = std::make_shared<const Partition>(parts);
  return problem_of(std::move(qp));
}

// p's cancels, as s is outside of the cone: p has the size 140, so that a small s matters.
TEST(BlockAugmentedLagrangian, ClaimsNoMoreThanTheVerifierGrants) {
  const Vector p = vector({100, 99, 0}), s = vector({0.495e-6, -0.5e-6, 0});
  const Problem problem =
      program_of(DenseMatrix::Identity(3, 3), Vector(p - s), Vector::Zero(3), 3);
  BlockAugmentedLagrangian solver;
  solver.limits.tolerance = 1e-8;
  solver.prepare(problem);
  const Vector zero = Vector::Zero(3);
  const Result& r = solver.solve({&zero, &p});
  EXPECT_EQ(r.status, Status::kSolved);
  EXPECT_TRUE(verify(problem, {r.z, r.dual}, 1e-8).solved);
}

TEST(BlockAugmentedLagrangian, ClaimsNothingOfAStartThatIsNotFinite) {
  const Problem problem =
      program_of(DenseMatrix::Identity(3, 3), vector({-1, 0, 0}), Vector::Zero(3), 3);
  BlockAugmentedLagrangian solver;
  solver.prepare(problem);
  const Vector zero = Vector::Zero(3);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), kInf}) {
    const Vector dual = vector({bad, 0, 0});
    EXPECT_NE(solver.solve({&zero, &dual}).status, Status::kSolved) << bad;
  }
}

TEST(BlockAugmentedLagrangian, ThePenaltyMustGrow) {
  BlockAugmentedLagrangian solver;
  EXPECT_NO_THROW(set_setting(solver, "increase", "1.5"));
  EXPECT_THROW(
      {
        set_setting(solver, "increase", "1");
        solver.check_settings();
      },
      std::invalid_argument);
}

// Contacts that have touched in one problem are open in the next one: the pattern of the systems,
// and with it the order of elimination, must not remember them.
TEST(BlockAugmentedLagrangian, HasTheBitsOfAFreshSolverAfterOtherProblems) {
  constexpr int kVelocities = 30, kRows = 40;
  Random random(5);
  DenseMatrix J = DenseMatrix::Zero(kRows, kVelocities);
  for (int i = 0; i < kRows; ++i) {
    for (int k = 0; k < 3; ++k) J(i, random.index(kVelocities)) = random.uniform(-1, 1);
  }
  std::vector<Problem> problems;
  for (int k = 0; k < 12; ++k) {
    Vector c(kVelocities), b(kRows);
    for (double& x : c) x = random.uniform(-1, 1);
    // All rows are active in some problems and few of them in others.
    for (double& x : b) x = random.uniform(-1, 1) + (k % 3 == 0 ? 0.2 : -0.8);
    problems.push_back(program_of(J, c, b, 1));
  }
  SolveRequest request;
  request.solver = "block-augmented-lagrangian";
  const std::vector<VerifiedResult> together = solve_batch(problems, request, 1);
  int solved = 0;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const VerifiedResult alone = solve_verified(problems[i], request);
    solved += alone.status == Status::kSolved;
    EXPECT_EQ(alone.status, together[i].status) << i;
    EXPECT_EQ(alone.iterations, together[i].iterations) << i;
    EXPECT_EQ(alone.answer.z, together[i].answer.z) << i;
    EXPECT_EQ(alone.answer.dual, together[i].answer.dual) << i;
  }
  EXPECT_GE(solved, 8);
}

// As a fresh session does, also if the numbers of the problem are known.
TEST(Session, RefusesAStoredStartThatIsNotFinite) {
  Problem problem = program_of(DenseMatrix::Identity(3, 3), vector({-1, 0, 0}), Vector::Zero(3), 3);
  SolveRequest request;
  request.solver = "block-augmented-lagrangian";  // which looks at no start by itself
  Session session(request);
  EXPECT_EQ(session.solve(problem, request).status, Status::kSolved);
  problem.start = vector({std::numeric_limits<double>::quiet_NaN(), 0, 0});
  EXPECT_THROW(session.solve(problem, request), std::invalid_argument);
}

}  // namespace
}  // namespace perp::test
