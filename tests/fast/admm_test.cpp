// The alternating direction method for exact friction.
#include "support.hpp"

#include <perp/solvers/friction/admm.hpp>

namespace perp::test {
namespace {

struct AdmmAnswer {
  Result result;
  Verdict verdict;
};

AdmmAnswer solve_by_admm(const Problem& problem, double tolerance = 1e-8,
                         const Vector* start = nullptr) {
  Admm solver;
  solver.limits.tolerance = tolerance;
  solver.prepare(problem);
  AdmmAnswer s{solver.solve(start), {}};
  s.verdict = verify(problem, {s.result.z, {}}, tolerance);
  EXPECT_EQ(s.result.status == Status::kSolved, s.verdict.solved) << problem.name;
  return s;
}

Problem one_contact(double mu, const Vector& q, const DenseMatrix& w) {
  FrictionContact p;
  p.dimension = static_cast<int>(q.size());
  p.W = Matrix(w);
  p.q = q;
  p.mu = Vector::Constant(1, mu);
  return problem_of(p);
}

TEST(Admm, OneContactInClosedForm) {
  const DenseMatrix w = DenseMatrix::Identity(3, 3);
  for (const auto& [q, r] : {std::pair(vector({1, 2, 3}), vector({0, 0, 0})),             // open
                             std::pair(vector({-1, 0.2, 0.1}), vector({1, -0.2, -0.1})),  // stick
                             std::pair(vector({-1, 3, 4}), vector({1, -0.3, -0.4}))}) {   // slide
    const AdmmAnswer s = solve_by_admm(one_contact(0.5, q, w), 1e-12);
    EXPECT_EQ(s.result.status, Status::kSolved);
    EXPECT_LT((s.result.z - r).norm(), 1e-11);
  }
  EXPECT_LT(
      (solve_by_admm(one_contact(0, vector({-1, 3, 4}), w), 1e-12).result.z - vector({1, 0, 0}))
          .norm(),
      1e-11);
  EXPECT_EQ(solve_by_admm(one_contact(10, vector({-1, 3, 4}), w)).result.status, Status::kSolved);
  solve_by_admm(one_contact(1e6, vector({-1, 3, 4}), w));  // an honest status
  const AdmmAnswer plane =
      solve_by_admm(one_contact(0.5, vector({-1, 3}), DenseMatrix::Identity(2, 2)), 1e-12);
  EXPECT_LT((plane.result.z - vector({1, -0.5})).norm(), 1e-11);
}

TEST(Admm, SolvesStacksTowersAndPiles) {
  for (const char* family : {"friction-stack", "friction-tower", "friction-pile"}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      for (const auto& parameters : std::vector<std::map<std::string, double>>{
               {}, {{"dimension", 2}}, {{"operator", 1}}, {{"duplicates", 1}}}) {
        const AdmmAnswer s = solve_by_admm(friction(family, 20, seed, parameters));
        EXPECT_EQ(s.result.status, Status::kSolved) << family << " " << seed;
        // The factors serve many iterations.
        EXPECT_LT(10 * statistic(s.result, "factorisations"), s.result.iterations + 20);
      }
    }
  }
}

TEST(Admm, SparseAndDenseFactorsAgree) {
  const Problem sparse = friction("friction-granular", 30, 4);
  Problem dense = sparse;
  auto& contact = std::get<FrictionContact>(dense.data);
  contact.W = Matrix(contact.W.to_dense());
  const AdmmAnswer a = solve_by_admm(sparse, 1e-10), b = solve_by_admm(dense, 1e-10);
  ASSERT_EQ(a.result.status, Status::kSolved);
  EXPECT_EQ(a.result.iterations, b.result.iterations);
  EXPECT_LT((a.result.z - b.result.z).norm(), 1e-12 * a.result.z.norm());
}

// The shifted matrix itself, dense and sparse, against W.
TEST(Admm, FactorsSolveTheShiftedSystem) {
  Random random(3);
  for (const int size : {6, 200}) {
    const Problem p = friction("friction-granular", size, 1);
    ContactProblem contact;
    contact.build(std::get<FrictionContact>(p.data), ContactScaling::kContact);
    ShiftedDelassus matrix;
    matrix.attach(contact);
    EXPECT_EQ(matrix.dense(), size == 6);
    ASSERT_TRUE(matrix.factor(0.3));
    const Vector b = gaussian(random, contact.size(), 1);
    Vector x = b, wx(contact.size());
    matrix.solve(x);
    contact.multiply(x, wx);
    EXPECT_LT((wx + 0.3 * x - b).norm(), 1e-11 * b.norm());
    const double largest = matrix.largest_eigenvalue(200);
    Vector hx(contact.size());
    matrix.multiply(x, hx);
    EXPECT_LT((hx - wx).norm(), 1e-12 * wx.norm());  // W is symmetric
    EXPECT_LE(x.dot(wx), largest * x.squaredNorm() * (1 + 1e-6));
  }
}

TEST(Admm, TakesAsymmetricMatrices) {
  Problem p = friction("friction-pile", 12, 1);
  auto& contact = std::get<FrictionContact>(p.data);
  DenseMatrix w = contact.W.to_dense();
  Random random(8);
  const DenseMatrix noise = gaussian(random, p.size(), p.size());
  w += 1e-3 * (noise - noise.transpose());
  contact.W = Matrix(w);
  EXPECT_EQ(solve_by_admm(p).result.status, Status::kSolved);
}

TEST(Admm, AnAnswerIsAGoodStart) {
  const Problem p = friction("friction-stack", 20, 2);
  const AdmmAnswer cold = solve_by_admm(p);
  const AdmmAnswer warm = solve_by_admm(p, 1e-8, &cold.result.z);
  EXPECT_GT(cold.result.iterations, 20);
  EXPECT_EQ(warm.result.iterations, 0);
}

TEST(Admm, ObeysLimitsAndRefusesBadSettings) {
  const Problem p = friction("friction-pile", 20, 1);
  Admm solver;
  solver.limits.max_iterations = 7;
  solver.prepare(p);
  const Result& r = solver.solve();
  EXPECT_EQ(r.status, Status::kIterationLimit);
  EXPECT_EQ(r.iterations, 7);
  solver.settings.proximal = 0.0;
  EXPECT_THROW(solver.solve(), std::invalid_argument);
  FrictionContact none;
  none.W = Matrix(DenseMatrix(0, 0));
  none.q = none.mu = Vector(0);
  EXPECT_EQ(solve_by_admm(problem_of(none)).result.status, Status::kSolved);
}

}  // namespace
}  // namespace perp::test
