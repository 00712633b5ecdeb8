// Projected sweeps: rates against spectral radii, agreement with enumeration, ends.
#include "support.hpp"

#include <perp/solvers/enumeration/enumerate.hpp>
#include <perp/solvers/projection/pgs.hpp>
#include <perp/solvers/projection/rpgs.hpp>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <numbers>

namespace perp::test {
namespace {

constexpr int kModelSize = 20;

// tridiag(-1, 2, -1); with z = 1 inside, the bounds never bind near the solution.
DenseMatrix model_matrix(int n) {
  DenseMatrix m = DenseMatrix::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    m(i, i) = 2.0;
    if (i > 0) m(i, i - 1) = m(i - 1, i) = -1.0;
  }
  return m;
}

Problem model_problem(int n, bool sparse = false) {
  const DenseMatrix m = model_matrix(n);
  const Vector q = -m * Vector::Ones(n);
  if (sparse) return problem_of(Lcp{SparseMatrix(m.sparseView()), q});
  return problem_of(Lcp{m, q});
}

// Of the sweep in order (or in reverse order) for M = D + L + U.
DenseMatrix sweep_matrix(const DenseMatrix& m, double omega, bool backward) {
  const DenseMatrix a = backward ? DenseMatrix(m.transpose()) : m;
  const DenseMatrix lower = a.triangularView<Eigen::StrictlyLower>();
  DenseMatrix left = omega * lower;
  left.diagonal() = a.diagonal();
  const DenseMatrix part = left - omega * a;
  if (!backward) return left.inverse() * part;
  return left.transpose().inverse() * part.transpose();
}

double spectral_radius(const DenseMatrix& a) {
  return Eigen::EigenSolver<DenseMatrix>(a, false).eigenvalues().cwiseAbs().maxCoeff();
}

class ResidualRecords : public Observer {
 public:
  std::vector<double> residuals;
  int stop_after = 1 << 30;
  bool on_iteration(const IterationRecord& record) override {
    residuals.push_back(record.residual);
    return static_cast<int>(residuals.size()) < stop_after;
  }
};

// Geometric mean of the reduction a sweep over the last `count` sweeps.
double measured_rate(const Problem& problem, double omega, bool symmetric, int count) {
  ProjectedGaussSeidel solver;
  solver.settings.relaxation = omega;
  solver.settings.symmetric = symmetric;
  solver.settings.check_every = 1;
  solver.limits.tolerance = 1e-12;
  solver.prepare(problem);
  ResidualRecords observed;
  EXPECT_EQ(solver.solve(nullptr, &observed).status, Status::kSolved);
  const std::vector<double>& r = observed.residuals;
  return std::pow(r.back() / r[r.size() - 1 - count], 1.0 / count);
}

int sweeps_of(const Problem& problem, double omega, double tolerance = 1e-10) {
  ProjectedGaussSeidel solver;
  solver.settings.relaxation = omega;
  solver.settings.check_every = 1;
  solver.limits.tolerance = tolerance;
  solver.prepare(problem);
  const Result& r = solver.solve();
  EXPECT_EQ(r.status, Status::kSolved);
  EXPECT_TRUE(verify(problem, {r.z, {}}, tolerance).solved);
  return r.iterations;
}

TEST(Pgs, ConvergesAtTheSpectralRadiusOfItsIterationMatrix) {
  const DenseMatrix m = model_matrix(kModelSize);
  const double cosine = std::cos(std::numbers::pi / (kModelSize + 1));
  EXPECT_NEAR(spectral_radius(sweep_matrix(m, 1.0, false)), cosine * cosine, 1e-12);
  for (const double omega : {0.7, 1.0, 1.3}) {
    const double expected = spectral_radius(sweep_matrix(m, omega, false));
    for (const bool sparse : {false, true}) {
      EXPECT_NEAR(measured_rate(model_problem(kModelSize, sparse), omega, false, 50), expected,
                  2e-3 * expected)
          << omega;
    }
  }
}

TEST(Pgs, SymmetricSweepsConvergeAtTheRateOfBothOrders) {
  const DenseMatrix m = model_matrix(kModelSize);
  const DenseMatrix both = sweep_matrix(m, 1.0, true) * sweep_matrix(m, 1.0, false);
  const double expected = std::sqrt(spectral_radius(both));  // a sweep
  EXPECT_NEAR(measured_rate(model_problem(kModelSize), 1.0, true, 50), expected, 2e-3 * expected);
}

// omega* = 2 / (1 + sin(pi h)) has the radius omega* - 1 instead of cos(pi h)^2.
TEST(Pgs, OptimalRelaxationBeatsNone) {
  const Problem p = model_problem(40);
  const double best = 2.0 / (1.0 + std::sin(std::numbers::pi / 41));
  EXPECT_LT(8 * sweeps_of(p, best), sweeps_of(p, 1.0));
  EXPECT_LT(sweeps_of(p, best), sweeps_of(p, best - 0.1));
}

TEST(Pgs, ObstacleProblemWithContact) {
  const Problem p = generate(find_family("obstacle"), 20, 1);
  EXPECT_LT(2 * sweeps_of(p, 1.6), sweeps_of(p, 1.0));
}

// Positive definite, bounds of every sort: one solution, which enumeration knows.
TEST(Pgs, AgreesWithEnumerationOnPositiveDefiniteProblems) {
  for (int seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const int n = 1 + random.index(7);
    const DenseMatrix a = gaussian(random, n, n);
    Mlcp p{DenseMatrix(a * a.transpose() + 0.3 * DenseMatrix::Identity(n, n)),
           gaussian(random, n, 1), Vector::Zero(n), Vector::Constant(n, kInf)};
    for (int i = 0; i < n; ++i) {
      const int sort = random.index(5);
      if (sort == 1) p.lower[i] = -kInf;
      if (sort == 2) p.lower[i] = -1.0, p.upper[i] = 0.5;
      if (sort == 3) p.lower[i] = p.upper[i] = 0.25;
      if (sort == 4) p.lower[i] = -kInf, p.upper[i] = 0.1;
    }
    const Enumeration known = enumerate_solutions(p, 1e-10);
    ASSERT_EQ(known.solutions.size(), 1u);
    for (const bool symmetric : {false, true}) {
      ProjectedGaussSeidel solver;
      solver.settings.symmetric = symmetric;
      solver.limits.tolerance = 1e-11;
      solver.prepare(problem_of(p));
      const Result& r = solver.solve();
      EXPECT_EQ(r.status, Status::kSolved) << seed;
      EXPECT_LT((r.z - known.solutions[0]).cwiseAbs().maxCoeff(), 1e-8) << seed;
    }
  }
}

TEST(Pgs, RefusesARowWithoutDiagonalAndSaysWhich) {
  ProjectedGaussSeidel solver;
  const Problem p = problem_of(Lcp{matrix(2, 2, {1, 0, 1, 0}), vector({1, 1})});
  const auto reason = solver.refusal(p);
  ASSERT_TRUE(reason.has_value());
  EXPECT_NE(reason->find("row 1"), std::string::npos) << *reason;
  EXPECT_NE(reason->find("rpgs"), std::string::npos);
  EXPECT_THROW(solver.prepare(p), std::invalid_argument);
}

TEST(Pgs, EquationsAskOnlyForADiagonalAndFixedUnknownsForNothing) {
  const Mlcp p{matrix(3, 3, {-2, 1, 0, 1, 3, 0, 0, 0, 0}), vector({1, -1, 5}),
               vector({-kInf, 0, 2}), vector({kInf, kInf, 2})};
  ProjectedGaussSeidel solver;
  solver.prepare(problem_of(p));
  const Result& r = solver.solve();
  EXPECT_EQ(r.status, Status::kSolved);
  EXPECT_EQ(r.z[2], 2.0);
  EXPECT_NEAR(-2 * r.z[0] + r.z[1] + 1, 0.0, 1e-8);
}

TEST(Pgs, EndsHonestly) {
  ProjectedGaussSeidel solver;
  solver.prepare(problem_of(Lcp{matrix(2, 2, {1, -2, -2, 1}), vector({-1, -1})}));  // grows
  EXPECT_EQ(solver.solve().status, Status::kNumericalError);
  // z moves to and fro between two points.
  solver.prepare(problem_of(Lcp{matrix(2, 2, {1, 2, 2, 1}), vector({-1, -1})}));
  EXPECT_NE(solver.solve().status, Status::kWrong);
  const Problem p = model_problem(60);
  solver.prepare(p);
  solver.limits.max_iterations = 7;
  EXPECT_EQ(solver.solve().status, Status::kIterationLimit);
  EXPECT_EQ(solver.solve().iterations, 7);
  solver.limits.max_iterations = 0;
  solver.limits.time_limit = 1e-9;
  EXPECT_EQ(solver.solve().status, Status::kTimeLimit);
  solver.limits.time_limit = 0.0;
  ResidualRecords observed;
  observed.stop_after = 3;
  EXPECT_EQ(solver.solve(nullptr, &observed).status, Status::kInterrupted);
  EXPECT_EQ(observed.residuals.size(), 3u);
  solver.prepare(model_problem(11));
  solver.limits.tolerance = 1e-30;  // cannot be reached
  EXPECT_EQ(solver.solve().status, Status::kStalled);
  solver.settings.relaxation = 2.0;
  EXPECT_THROW(solver.solve(), std::invalid_argument);
}

TEST(Pgs, AStartThatSolvesTheProblemIsReturned) {
  ProjectedGaussSeidel solver;
  solver.prepare(model_problem(10));
  const Vector one = Vector::Ones(10);
  EXPECT_EQ(solver.solve(&one).iterations, 0);
  EXPECT_EQ(solver.solve().status, Status::kSolved);
}

Status solve_by_rpgs(const Problem& p, double tolerance, RpgsSettings settings = {}) {
  RegularisedProjectedGaussSeidel solver;
  solver.settings = settings;
  solver.limits.tolerance = tolerance;
  solver.prepare(p);
  const Result& r = solver.solve();
  EXPECT_EQ(r.status == Status::kSolved, verify(p, {r.z, {}}, tolerance).solved) << p.name;
  return r.status;
}

TEST(Rpgs, SolvesContactsWithZeroDiagonals) {
  for (const char* family : {"contact-stack", "contact-pile"}) {
    for (int seed = 1; seed <= 10; ++seed) {
      EXPECT_EQ(solve_by_rpgs(generate(find_family(family), 20, seed), 1e-8), Status::kSolved)
          << family << seed;
    }
  }
}

// Monotone and feasible, any rank, zero diagonals and skew parts included.
TEST(Rpgs, SolvesMonotoneProblems) {
  int solved = 0;
  for (int seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const int n = 1 + random.index(8), rank = 1 + random.index(n);
    const DenseMatrix a = gaussian(random, n, rank), b = gaussian(random, n, n);
    const DenseMatrix m = a * a.transpose() + (seed % 2) * (b - b.transpose());
    Vector z(n), w(n);
    for (int i = 0; i < n; ++i) {
      const bool off = random.uniform() < 0.5;
      z[i] = off ? random.uniform(0.1, 1.0) : 0.0;
      w[i] = off ? 0.0 : random.uniform(0.1, 1.0);
    }
    solved += solve_by_rpgs(problem_of(Lcp{m, w - m * z}), 1e-8) == Status::kSolved;
  }
  EXPECT_GE(solved, 290);
  RecordProperty("solved", solved);
}

TEST(Rpgs, SolvesASkewProblemThatSweepsCannot) {
  // A matrix game: M is skew, every diagonal entry zero.
  const Problem p = problem_of(Lcp{
      matrix(4, 4, {0, 0, 2, -1, 0, 0, -1, 1, -2, 1, 0, 0, 1, -1, 0, 0}), vector({-1, 1, 2, 1})});
  EXPECT_EQ(solve_by_rpgs(p, 1e-9), solve_by_lemke(p).status);
}

TEST(Rpgs, EndsHonestly) {
  for (int seed = 1; seed <= 10; ++seed) {
    EXPECT_NE(solve_by_rpgs(generate(find_family("infeasible"), 10, seed), 1e-8), Status::kSolved);
    EXPECT_NE(solve_by_rpgs(generate(find_family("no-solution"), 6, seed), 1e-8), Status::kSolved);
  }
  RegularisedProjectedGaussSeidel solver;
  solver.prepare(generate(find_family("contact-stack"), 20, 1));
  solver.limits.max_iterations = 15;
  EXPECT_EQ(solver.solve().status, Status::kIterationLimit);
  EXPECT_EQ(solver.solve().iterations, 15);
  solver.limits.max_iterations = 0;
  solver.limits.time_limit = 1e-9;
  EXPECT_EQ(solver.solve().status, Status::kTimeLimit);
  solver.limits.time_limit = 0.0;
  ResidualRecords observed;
  observed.stop_after = 3;
  EXPECT_EQ(solver.solve(nullptr, &observed).status, Status::kInterrupted);
  solver.settings.rules.relaxation = 0.0;
  EXPECT_THROW(solver.solve(), std::invalid_argument);
}

}  // namespace
}  // namespace perp::test
