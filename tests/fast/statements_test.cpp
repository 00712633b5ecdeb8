// Reductions to every kind that a problem can be stated as: points of one are points of the other.
#include "support.hpp"

#include <perp/solvers/statements.hpp>
#include <perp/solvers/verified_solve.hpp>

namespace perp::test {
namespace {

// Which kinds, in their order.
std::vector<std::string> kinds_of(const std::vector<ExactReduction>& reductions) {
  std::vector<std::string> kinds;
  for (const ExactReduction& exact : reductions) kinds.emplace_back(exact.kind);
  return kinds;
}

// The reduced problem is solved, and its solution is one of the problem; then the other way.
void expect_both_ways(const Problem& posed, const Reduction& reduction) {
  SCOPED_TRACE(reduction.name);
  const Problem reduced = problem_of(reduction.problem);
  SolveRequest request;
  request.limits.tolerance = 1e-10;
  const VerifiedResult there = solve_verified(reduced, request);
  ASSERT_EQ(there.status, Status::kSolved) << there.message;
  EXPECT_TRUE(verify(posed, reduction.map_back(there.answer), 1e-8).solved);
  const VerifiedResult here = solve_verified(posed, request);
  ASSERT_EQ(here.status, Status::kSolved) << here.message;
  EXPECT_TRUE(verify(reduced, reduction.map_start(here.answer), 1e-8).solved);
}

// With a symmetric positive definite M, dense or sparse, and bounds of every sort.
Mlcp definite_box_problem(Random& random) {
  Mlcp p = random_box_problem(random);
  const int n = p.size();
  const DenseMatrix half = gaussian(random, n, n);
  const DenseMatrix M = half * half.transpose() + DenseMatrix::Identity(n, n);
  p.M = random.uniform() < 0.5 ? Matrix(DenseMatrix((M + M.transpose()) / 2))
                               : Matrix(SparseMatrix(((M + M.transpose()) / 2).sparseView()));
  return p;
}

TEST(Statements, OfEveryKindHaveTheSameSolutions) {
  Random random(31);
  for (int trial = 0; trial < 40; ++trial) {
    const Mlcp box = definite_box_problem(random);
    const int n = box.size();
    const ConicQp cones{box.M,
                        box.q,
                        DenseMatrix(gaussian(random, 2, n)),
                        vector({1, 2}),
                        {{ConeType::kZero, 1}, {ConeType::kNonnegative, 1}}};
    for (const ProblemData& data :
         {ProblemData(Lcp{box.M, box.q}), ProblemData(box),
          ProblemData(BoxQp{box.M, box.q, box.lower, box.upper}), ProblemData(cones)}) {
      const Problem posed = problem_of(data);
      if (posed.kind() == "conic_qp" && n < 2) continue;  // two rows may contradict each other
      for (const ExactReduction& exact : exact_reductions(posed)) {
        const Reduction reduction = exact.make();
        EXPECT_EQ(problem_of(reduction.problem).kind(), exact.kind);
        EXPECT_TRUE(reduction.exact);
        expect_both_ways(posed, reduction);
      }
    }
  }
}

TEST(Statements, AreListedByTheirKinds) {
  const Lcp lcp{matrix(1, 1, {2}), vector({-1})};
  using Kinds = std::vector<std::string>;
  EXPECT_EQ(kinds_of(exact_reductions(problem_of(lcp))), (Kinds{"mlcp", "box_qp", "mcp"}));
  EXPECT_EQ(kinds_of(exact_reductions(problem_of(to_mlcp(lcp)))), (Kinds{"lcp", "box_qp", "mcp"}));
  EXPECT_EQ(kinds_of(exact_reductions(problem_of(BoxQp{lcp.M, lcp.q, vector({0}), vector({1})}))),
            (Kinds{"mlcp", "lcp", "mcp"}));
}

// The graph has the numbers of the matrix, and zeros where it has none.
TEST(Statements, AsMcpHaveTheSameFunction) {
  Random random(37);
  const Mlcp box = definite_box_problem(random);
  const Reduction reduction = reduce_to_mcp(box);
  const Mcp& mcp = std::get<Mcp>(reduction.problem);
  EXPECT_EQ(mcp.lower, box.lower);
  EXPECT_EQ(mcp.upper, box.upper);
  const Vector z = gaussian(random, box.size(), 1);
  EXPECT_LT((mcp.evaluate(z) - box.M.multiply(z) - box.q).cwiseAbs().maxCoeff(), 1e-12);
  const Mlcp empty{Matrix(DenseMatrix::Zero(2, 2)), vector({1, -1}), vector({0, 0}), vector({kInf, 1})};
  EXPECT_EQ(std::get<Mcp>(reduce_to_mcp(empty).problem).evaluate(vector({3, 4})), empty.q);
}

TEST(Statements, OfStatementsTellBothNames) {
  const BoxQp qp{matrix(1, 1, {2}), vector({-1}), vector({-1}), vector({1})};
  const Problem posed = problem_of(qp);  // the reductions refer to it
  for (const ExactReduction& exact : exact_reductions(posed)) {
    const Reduction reduction = exact.make();
    EXPECT_EQ(reduction.name, exact.kind == "mlcp"
                                  ? "box_qp as mlcp"
                                  : "box_qp as mlcp as " + std::string(exact.kind));
    EXPECT_EQ(reduction.copies, exact.kind != "lcp");
  }
}

// interior-point takes box_qp and conic_qp alone.
TEST(Statements, ASolverOfQuadraticProgramsIsGivenSymmetricProblems) {
  SolveRequest request;
  request.solver = "interior-point";
  const VerifiedResult solved =
      solve_verified(problem_of(Lcp{matrix(2, 2, {2, 1, 1, 2}), vector({-5, -6})}), request);
  EXPECT_EQ(solved.status, Status::kSolved);
  EXPECT_EQ(solved.route.front().solver, "interior-point on lcp as box_qp");
  const VerifiedResult refused =
      solve_verified(problem_of(Lcp{matrix(2, 2, {2, 1, 0, 2}), vector({-5, -6})}), request);
  EXPECT_EQ(refused.status, Status::kUnsupported);
  EXPECT_NE(refused.message.find("as box_qp: M: not symmetric"), std::string::npos)
      << refused.message;
}

}  // namespace
}  // namespace perp::test
