// Multigrid: iterations that do not grow with the grid, the hierarchy, bounds, ends.
#include "support.hpp"

#include <perp/solvers/active_set/newton_min.hpp>
#include <perp/solvers/multigrid/aggregation.hpp>
#include <perp/solvers/multigrid/multigrid.hpp>

namespace perp::test {
namespace {

Problem obstacle(int grid, double per_area = 0.0) {
  return generate(find_family("obstacle"), grid, 1, {{"per_area", per_area}});
}

int iterations_of(const Problem& p, double tolerance, bool nested = true) {
  Multigrid solver;
  solver.settings.nested = nested;
  solver.limits.tolerance = tolerance;
  solver.prepare(p);
  const Result& r = solver.solve();
  EXPECT_EQ(r.status, Status::kSolved) << p.name;
  EXPECT_TRUE(verify(p, {r.z, {}}, tolerance).solved) << p.name;
  return r.iterations;
}

TEST(Multigrid, IterationsAreBoundedAsTheGridGrows) {
  for (const int grid : {10, 20, 40, 80, 160}) {
    EXPECT_LE(iterations_of(obstacle(grid), 1e-8), 11) << grid;
    // Rows not times h^2: the same accuracy of the load on every grid.
    EXPECT_LE(iterations_of(obstacle(grid, 1.0), 1e-8), 16) << grid;
  }
}

TEST(Multigrid, NestedIterationIsTheBetterStart) {
  const Problem p = obstacle(80);
  EXPECT_LT(iterations_of(p, 1e-8), iterations_of(p, 1e-8, false));
}

TEST(Multigrid, AgreesWithNewtonMin) {
  const Problem p = obstacle(35);
  Multigrid multigrid;
  NewtonMin newton;
  multigrid.limits.tolerance = newton.limits.tolerance = 1e-11;
  multigrid.prepare(p);
  newton.prepare(p);
  const Vector z = multigrid.solve().z;
  EXPECT_LT((z - newton.solve().z).cwiseAbs().maxCoeff(), 1e-8);
}

// A membrane between two obstacles, part of it held and part of it free.
TEST(Multigrid, TakesBoundsOfEverySort) {
  const Problem base = obstacle(30);
  const Lcp& lcp = std::get<Lcp>(base.data);
  Mlcp p{lcp.M, lcp.q, Vector::Zero(900), Vector::Constant(900, kInf)};
  Random random(3);
  for (int i = 0; i < 900; ++i) {
    const int sort = random.index(5);
    if (sort == 1) p.lower[i] = -kInf;
    if (sort == 2) p.lower[i] = -0.1, p.upper[i] = 0.05;
    if (sort == 3 && i % 7 == 0) p.lower[i] = p.upper[i] = 0.02;
    if (sort == 4) p.lower[i] = -kInf, p.upper[i] = 0.1;
  }
  iterations_of(problem_of(p), 1e-9);
  EXPECT_EQ(solve_by_lemke(problem_of(p), 1e-9).status, Status::kSolved);
}

TEST(Multigrid, SmallDisconnectedAndDiagonalProblems) {
  SparseMatrix one(1, 1), diagonal(500, 500);
  one.insert(0, 0) = 2.0;
  diagonal.setIdentity();
  EXPECT_LE(iterations_of(problem_of(Lcp{one, vector({-1})}), 1e-12), 1);
  Random random(2);
  EXPECT_LE(iterations_of(problem_of(Lcp{diagonal, gaussian(random, 500, 1)}), 1e-12), 2);
}

// Other values on the same pattern: as prepare() would have it.
TEST(Multigrid, UpdatesAsItPrepares) {
  const Problem first = obstacle(40);
  Problem second = first;
  std::get<Lcp>(second.data).M.sparse() *= 4.0;
  Multigrid updated, fresh;
  updated.prepare(first);
  updated.solve();
  updated.update(second);
  fresh.prepare(second);
  const Result &a = updated.solve(), &b = fresh.solve();
  EXPECT_EQ(a.status, Status::kSolved);
  EXPECT_EQ(a.z, b.z);
  EXPECT_EQ(a.iterations, b.iterations);
}

TEST(Multigrid, RefusesWhatItCannotTake) {
  const Multigrid solver;
  EXPECT_TRUE(solver.refusal(generate(find_family("psd"), 5, 1)).has_value());            // dense
  EXPECT_TRUE(solver.refusal(generate(find_family("contact-stack"), 4, 1)).has_value());  // skew
  SparseMatrix zero(2, 2);
  EXPECT_TRUE(solver.refusal(problem_of(Lcp{zero, vector({1, 1})})).has_value());
}

TEST(Multigrid, EndsHonestly) {
  class Stop : public Observer {
   public:
    bool on_iteration(const IterationRecord& record) override { return record.iteration < 3; }
  } stop;
  Multigrid solver;
  solver.prepare(obstacle(40));
  EXPECT_EQ(solver.solve(nullptr, &stop).status, Status::kInterrupted);
  EXPECT_EQ(solver.solve(nullptr, &stop).iterations, 3);
  solver.limits.max_iterations = 2;
  EXPECT_EQ(solver.solve().status, Status::kIterationLimit);
  solver.limits.max_iterations = 0;
  solver.limits.time_limit = 1e-9;
  EXPECT_EQ(solver.solve().status, Status::kTimeLimit);
  solver.limits.time_limit = 0.0;
  solver.limits.tolerance = 1e-30;
  EXPECT_EQ(solver.solve().status, Status::kStalled);
  // Indefinite: the energy has no minimum.
  SparseMatrix m(2, 2);
  m.insert(0, 0) = m.insert(1, 1) = 1.0;
  m.insert(0, 1) = m.insert(1, 0) = -2.0;
  solver.limits.tolerance = 1e-8;
  solver.prepare(problem_of(Lcp{m, vector({-1, -1})}));
  EXPECT_NE(solver.solve().status, Status::kSolved);
}

TEST(Aggregation, GroupsEveryUnknownAndInterpolatesConstants) {
  Csr a, p;
  to_csr(std::get<Lcp>(obstacle(20).data).M.sparse(), a);
  Aggregates groups;
  groups.build(a, 0.08);
  EXPECT_GT(groups.count, 400 / 9);
  EXPECT_LT(groups.count, 400 / 3);
  for (const int g : groups.group) EXPECT_TRUE(g >= 0 && g < groups.count);
  groups.smoothed_prolongation(a, p);
  const Vector ones = Vector::Ones(groups.count);
  for (int i = 0; i < 20; ++i) {
    for (int j = 0; j < 20; ++j) {
      const bool inside = i > 0 && j > 0 && i < 19 && j < 19;
      const double sum = p.row_dot(20 * i + j, ones.data());
      EXPECT_TRUE(inside ? std::abs(sum - 1.0) < 1e-14 : sum < 1.0) << i << " " << j;
    }
  }
  for (const double value : p.value) EXPECT_GE(value, -1e-15);
}

TEST(Csr, ProductsAgreeWithEigen) {
  Random random(4);
  const auto sparse = [&](int rows, int cols) {
    std::vector<Triplet> entries;
    for (int k = 0; k < 3 * rows; ++k) {
      entries.emplace_back(random.index(rows), random.index(cols), random.normal());
    }
    SparseMatrix m(rows, cols);
    m.setFromTriplets(entries.begin(), entries.end());
    return m;
  };
  const SparseMatrix half = sparse(30, 30), p = sparse(30, 12);
  const SparseMatrix a = half + SparseMatrix(half.transpose());
  Csr fine, prolongation, restriction, product, coarse;
  CsrWorkspace work;
  to_csr(a, fine);
  to_csr(p, prolongation);
  transpose(prolongation, restriction);
  multiply(fine, prolongation, work, product);
  multiply(restriction, product, work, coarse);
  std::vector<char> mask(30, 1);
  std::vector<double> scratch(12, 0.0);
  for (const bool masked : {false, true}) {
    DenseMatrix t = DenseMatrix::Identity(30, 30);
    for (int i = 0; i < 30 && masked; i += 3) t(i, i) = mask[i] = 0;
    const DenseMatrix cut = t * DenseMatrix(p), expected = cut.transpose() * DenseMatrix(a) * cut;
    galerkin(restriction, fine, prolongation, mask, coarse, scratch);
    DenseMatrix found = DenseMatrix::Zero(12, 12);
    for (int i = 0; i < 12; ++i) {
      for (int k = coarse.start[i]; k < coarse.start[i + 1]; ++k) {
        found(i, coarse.column[k]) = coarse.value[k];
      }
    }
    EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-12);
  }
}

}  // namespace
}  // namespace perp::test
