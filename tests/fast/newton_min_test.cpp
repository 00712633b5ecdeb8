// Active sets: families, cycling, termination, counts of factorisations and updates, ends.
#include "limits_support.hpp"
#include "support.hpp"

#include <perp/problems/io/problem_file.hpp>
#include <perp/solvers/active_set/newton_min.hpp>
#include <perp/solvers/enumeration/enumerate.hpp>
#include <perp/solvers/projection/pgs.hpp>

#include <Eigen/Cholesky>
#include <Eigen/LU>

namespace perp::test {
namespace {

struct MinAnswer {
  Status status;
  Vector z;
  int iterations;
  double factorisations, updates, exchanges;
  std::vector<PairStatus> basis;
  std::string message;
};

MinAnswer solve_by_newton_min(const Problem& p, double tolerance = 1e-10,
                              const NewtonMinSettings& settings = {}, const Vector* start = nullptr,
                              int max_iterations = 0) {
  NewtonMin solver;
  solver.settings = settings;
  solver.limits.tolerance = tolerance;
  solver.limits.max_iterations = max_iterations;
  solver.prepare(p);
  const Result& r = solver.solve(start);
  EXPECT_EQ(r.status == Status::kSolved, verify(p, {r.z, {}}, tolerance).solved)
      << p.name << " " << to_string(r.status);
  return {r.status,
          r.z,
          r.iterations,
          statistic(r, "factorisations"),
          statistic(r, "updates"),
          statistic(r, "single_exchanges"),
          r.basis,
          r.message};
}

DenseMatrix random_p_matrix(Random& random, int n) {
  const DenseMatrix a = gaussian(random, n, n), b = gaussian(random, n, n);
  return a * a.transpose() / n + (b - b.transpose()) + 0.05 * DenseMatrix::Identity(n, n);
}

// Without a start, and with one of a few sweeps, which leaves little to do.
TEST(NewtonMin, SolvesPsdProblemsOfBothRanksWithFewFactorisations) {
  double cold = 0, swept = 0;
  for (const char* family : {"psd", "psd-deficient"}) {
    for (int seed = 1; seed <= 10; ++seed) {
      const Problem p = generate(find_family(family), 120, seed);
      const MinAnswer a = solve_by_newton_min(p);
      EXPECT_EQ(a.status, Status::kSolved) << family << seed;
      EXPECT_LE(a.iterations, 12) << family << seed;
      cold += a.factorisations;
      ProjectedGaussSeidel sweeps;
      sweeps.settings.symmetric = true;
      sweeps.limits.max_iterations = 12;
      sweeps.prepare(p);
      const MinAnswer b = solve_by_newton_min(p, 1e-10, {}, &sweeps.solve().z);
      EXPECT_EQ(b.status, Status::kSolved) << family << seed;
      EXPECT_LE(b.iterations, 10) << family << seed;
      swept += b.factorisations;
    }
  }
  EXPECT_LE(cold, 5 * 20);
  EXPECT_LE(swept, 2 * 20);
}

TEST(NewtonMin, SolvesPMatrices) {
  for (int seed = 1; seed <= 10; ++seed) {
    const Problem p = generate(find_family("p-matrix"), 100, seed);
    const MinAnswer a = solve_by_newton_min(p);
    EXPECT_EQ(a.status, Status::kSolved);
    EXPECT_LE(a.iterations, 12);
    EXPECT_LT((a.z - p.solution->z).cwiseAbs().maxCoeff(), 1e-7);
  }
}

// P-matrices, bounds of every sort: one solution, which enumeration knows. With block exchanges and
// without.
TEST(NewtonMin, AgreesWithEnumerationOnPMatrices) {
  for (int seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const int n = 1 + random.index(7);
    Mlcp p{random_p_matrix(random, n), gaussian(random, n, 1), Vector::Zero(n),
           Vector::Constant(n, kInf)};
    for (int i = 0; i < n; ++i) {
      const int sort = random.index(5);
      if (sort == 1) p.lower[i] = -kInf;
      if (sort == 2) p.lower[i] = -1.0, p.upper[i] = 0.5;
      if (sort == 3) p.lower[i] = p.upper[i] = 0.25;
      if (sort == 4) p.lower[i] = -kInf, p.upper[i] = 0.1;
    }
    const Enumeration known = enumerate_solutions(p, 1e-10);
    ASSERT_EQ(known.solutions.size(), 1u) << seed;
    NewtonMinSettings single;
    single.block_tries = 0;
    for (const NewtonMinSettings& settings : {NewtonMinSettings{}, single}) {
      const MinAnswer a = solve_by_newton_min(problem_of(p), 1e-11, settings);
      EXPECT_EQ(a.status, Status::kSolved) << seed;
      EXPECT_LT((a.z - known.solutions[0]).cwiseAbs().maxCoeff(), 1e-8) << seed;
    }
  }
}

// PSD of any rank, feasible: what is found is a solution, and with exact ties too, or it is said
// that a block is singular.
TEST(NewtonMin, SolvesSmallPsdProblems) {
  int solved = 0, singular = 0, asked = 0;
  for (int seed = 0; seed < 500; ++seed) {
    Random random(seed);
    const int n = 1 + random.index(10), rank = 1 + random.index(n);
    DenseMatrix a(n, rank);
    for (double& x : a.reshaped()) x = seed % 2 ? random.index(3) - 1 : random.normal();
    const DenseMatrix m = a * a.transpose();
    Vector z(n), q(n);
    for (double& x : z) x = random.index(2) * random.uniform();
    q = -m * z;
    for (double& x : q) x += random.index(2) * random.uniform();
    ++asked;
    const MinAnswer found = solve_by_newton_min(problem_of(Lcp{m, q}), 1e-9);
    solved += found.status == Status::kSolved;
    singular += found.message.find("singular") != std::string::npos;
    EXPECT_TRUE(rank < n || seed % 2 || found.status == Status::kSolved) << seed;
  }
  EXPECT_GE(solved + singular, asked - 2);
  EXPECT_GE(solved, asked / 2);
}

// M = [1 0 a; a 1 0; 0 a 1] with a > 1 and q = 1 is a P-matrix with solution 0 on which the plain
// method goes round the sets {0}, {1}, {2} [BenGharbiaGilbert2012].
TEST(NewtonMin, DoesNotCycleWherePlainNewtonDoes) {
  const Problem p = problem_of(Lcp{matrix(3, 3, {1, 0, 2, 2, 1, 0, 0, 2, 1}), vector({1, 1, 1})});
  const Vector start = vector({1, 0, 0});
  NewtonMinSettings plain;
  plain.block_tries = 1 << 30;
  const MinAnswer round = solve_by_newton_min(p, 1e-10, plain, &start, 99);
  EXPECT_EQ(round.iterations, 99);  // though the projections of its points solve the problem
  const MinAnswer a = solve_by_newton_min(p, 1e-10, {}, &start);
  EXPECT_EQ(a.status, Status::kSolved);
  EXPECT_EQ(a.z, Vector::Zero(3));
  EXPECT_GT(a.exchanges, 0);
  EXPECT_LE(a.iterations, 20);
}

// Murty's exchanges alone: finitely many, though possibly exponentially many [Murty1978].
TEST(NewtonMin, SingleExchangesEndOnPMatrices) {
  NewtonMinSettings single;
  single.block_tries = 0;
  for (int seed = 0; seed < 100; ++seed) {
    Random random(seed);
    const int n = 2 + random.index(7);
    const Problem p = problem_of(Lcp{random_p_matrix(random, n), gaussian(random, n, 1)});
    const MinAnswer a = solve_by_newton_min(p, 1e-9, single, nullptr, 1 << (n + 1));
    EXPECT_EQ(a.status, Status::kSolved) << seed;
  }
  for (const char* family : {"murty", "fathi"}) {
    for (const int n : {4, 8, 12}) {
      EXPECT_EQ(solve_by_newton_min(generate(find_family(family), n, 1)).status, Status::kSolved);
    }
  }
}

// Slip rows have no diagonal, so the first block is singular: that is said, and nothing is claimed.
// With M + rho I there is no such block.
TEST(NewtonMin, SaysThatThereIsNoNewtonPoint) {
  for (const char* family : {"contact-stack", "contact-pile"}) {
    Problem p = generate(find_family(family), 20, 1);
    const MinAnswer a = solve_by_newton_min(p);
    EXPECT_EQ(a.status, Status::kStalled) << family;
    EXPECT_NE(a.message.find("singular"), std::string::npos) << a.message;
    EXPECT_TRUE(a.basis.empty());
    Lcp& lcp = std::get<Lcp>(p.data);
    SparseMatrix shift(lcp.size(), lcp.size());
    shift.setIdentity();
    lcp.M = SparseMatrix(lcp.M.to_sparse() + 1e-2 * shift);
    EXPECT_EQ(solve_by_newton_min(p, 1e-8).message.find("singular"), std::string::npos) << family;
  }
}

// The sets move by one layer a step; few changes are updates, not factorisations.
TEST(NewtonMin, SparseProblemsAndUpdates) {
  const Problem p = generate(find_family("obstacle"), 40, 1);
  const MinAnswer a = solve_by_newton_min(p, 1e-12);
  EXPECT_EQ(a.status, Status::kSolved);
  EXPECT_GT(a.updates, 0);
  EXPECT_LT(a.factorisations, a.iterations);
  const MinAnswer dense = solve_by_newton_min(
      problem_of(Lcp{std::get<Lcp>(p.data).M.to_dense(), std::get<Lcp>(p.data).q}));
  EXPECT_LT((a.z - dense.z).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(NewtonMin, EndsHonestly) {
  for (int seed = 1; seed <= 10; ++seed) {
    EXPECT_NE(solve_by_newton_min(generate(find_family("infeasible"), 12, seed)).status,
              Status::kSolved);
    EXPECT_NE(solve_by_newton_min(generate(find_family("no-solution"), 8, seed)).status,
              Status::kSolved);
  }
  const Problem zero = problem_of(Lcp{DenseMatrix(DenseMatrix::Zero(2, 2)), vector({-1, 1})});
  EXPECT_NE(solve_by_newton_min(zero).status, Status::kSolved);
}

TEST(NewtonMin, ObeysLimitsAndObservers) {
  expect_limits_and_observers_are_obeyed<NewtonMin>(generate(find_family("psd"), 120, 1));
}

TEST(NewtonMin, AStartWithTheRightSetNeedsOneStep) {
  const Problem p = generate(find_family("psd"), 80, 3);
  const MinAnswer cold = solve_by_newton_min(p);
  EXPECT_GT(cold.iterations, 1);
  EXPECT_EQ(solve_by_newton_min(p, 1e-10, {}, &cold.z).iterations, 1);
  NewtonMin solver;
  solver.limits.tolerance = 1e-10;
  solver.prepare(p);
  const Result& warm = solver.solve({nullptr, nullptr, &cold.basis});
  EXPECT_EQ(warm.iterations, 1);
  EXPECT_EQ(warm.basis, cold.basis);
  for (int i = 0; i < p.size(); ++i)
    EXPECT_EQ(cold.basis[i] == PairStatus::kAtLower, cold.z[i] == 0.0) << i;
}

// Bounds that are none free an unknown, whatever a basis says of it.
TEST(NewtonMin, TakesABasisWithBoundsThatAreNone) {
  Mlcp p{DenseMatrix(DenseMatrix::Identity(2, 2)), vector({-1, 3}), vector({-kInf, -2}),
         vector({kInf, 5})};
  NewtonMin solver;
  solver.prepare(problem_of(p));
  const std::vector<PairStatus> basis{PairStatus::kAtUpper, PairStatus::kAtUpper};
  const Result& r = solver.solve({nullptr, nullptr, &basis});
  EXPECT_EQ(r.status, Status::kSolved);
  EXPECT_EQ(r.z, vector({1, -2}));
}

// Other values on the same pattern: as prepare() would have it.
TEST(NewtonMin, UpdatesAsItPrepares) {
  for (const char* family : {"psd", "p-matrix", "obstacle"}) {
    const Problem first = generate(find_family(family), 12, 1);
    Problem second = first;
    Lcp& lcp = std::get<Lcp>(second.data);
    lcp.q *= 0.5;
    if (lcp.M.is_sparse()) {
      lcp.M.sparse() *= 2.0;
    } else {
      lcp.M.dense() *= 2.0;
    }
    NewtonMin updated, fresh;
    updated.prepare(first);
    updated.solve();
    updated.update(second);
    fresh.prepare(second);
    const Result &a = updated.solve(), &b = fresh.solve();
    EXPECT_EQ(a.status, Status::kSolved) << family;
    EXPECT_EQ(a.z, b.z) << family;
    EXPECT_EQ(a.iterations, b.iterations) << family;
  }
}

// The block of a set that changes a little: few factorisations, same answers as from scratch.
TEST(FreeBlock, UpdatesGiveTheAnswersOfFreshFactorisations) {
  for (const bool symmetric : {true, false}) {
    for (const bool sparse : {true, false}) {
      Random random(7);
      const int n = 90;
      DenseMatrix m = gaussian(random, n, n);
      m = symmetric ? DenseMatrix(m * m.transpose() / n + DenseMatrix::Identity(n, n))
                    : random_p_matrix(random, n);
      const Vector q = Vector::Zero(n);
      RowProblem rows;
      rows.build(sparse ? problem_of(Lcp{SparseMatrix(m.sparseView()), q}) : problem_of(Lcp{m, q}));
      FreeBlock block;
      block.attach(rows, symmetric);
      block.set_regularisation(1e-3);
      std::vector<char> free(n, 0);
      for (char& f : free) f = random.uniform() < 0.6;
      const int changes = 40;
      for (int k = 0; k < changes; ++k) {
        ASSERT_TRUE(block.set(free));
        DenseMatrix part = m + 1e-3 * DenseMatrix::Identity(n, n);
        Vector right = gaussian(random, n, 1);
        for (int i = 0; i < n; ++i) {
          if (free[i]) continue;
          part.row(i).setZero();
          part.col(i).setZero();
          part(i, i) = 1.0;
        }
        Vector x = right;
        block.solve(x);
        for (int i = 0; i < n; ++i) {
          if (!free[i]) right[i] = 0.0;
        }
        EXPECT_LT((part * x - right).cwiseAbs().maxCoeff(), 1e-9) << k;
        free[random.index(n)] ^= 1;
      }
      EXPECT_LT(block.factorisations, changes / 3);
      EXPECT_GT(block.updates, changes / 2);
    }
  }
}

TEST(FreeBlock, SaysThatABlockIsSingular) {
  Random random(3);
  const DenseMatrix a = gaussian(random, 8, 4), m = a * a.transpose();
  RowProblem rows;
  rows.build(problem_of(Lcp{m, Vector::Zero(8)}));
  FreeBlock block;
  block.attach(rows, true);
  EXPECT_FALSE(block.set(std::vector<char>(8, 1)));
  block.set_regularisation(1e-6);
  EXPECT_TRUE(block.set(std::vector<char>(8, 1)));
}

TEST(FreeBlock, TakesIndefiniteSymmetricBlocks) {
  const DenseMatrix m = matrix(2, 2, {1, 3, 3, 1});
  RowProblem rows;
  rows.build(problem_of(Lcp{m, Vector::Zero(2)}));
  FreeBlock block;
  block.attach(rows, true);
  ASSERT_TRUE(block.set({1, 1}));
  Vector x = vector({4, 4});
  block.solve(x);
  EXPECT_LT((x - vector({1, 1})).norm(), 1e-15);
}

TEST(DenseCholesky, AgreesWithEigen) {
  Random random(5);
  DenseCholesky cholesky;
  for (const int n : {1, 3, 4, 17, 48, 49, 101, 150}) {
    const DenseMatrix a = gaussian(random, n, n);
    const DenseMatrix m = a * a.transpose() + DenseMatrix::Identity(n, n);
    std::copy(m.data(), m.data() + m.size(), cholesky.matrix(n));
    ASSERT_TRUE(cholesky.factor(0.0));
    Vector x = gaussian(random, n, 1);
    const Vector expected = Eigen::LLT<DenseMatrix>(m).solve(x);
    cholesky.solve(x.data());
    EXPECT_LT((x - expected).norm(), 1e-9 * (1.0 + expected.norm())) << n;
  }
  const DenseMatrix indefinite = matrix(2, 2, {1, 2, 2, 1});
  std::copy(indefinite.data(), indefinite.data() + 4, cholesky.matrix(2));
  EXPECT_FALSE(cholesky.factor(0.0));
}

}  // namespace
}  // namespace perp::test
