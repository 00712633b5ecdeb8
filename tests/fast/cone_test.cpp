// newton-cone and proximal-cone, and the convex programs of contacts that they take.
#include "support.hpp"

#include <perp/problems/standard/convex_relaxation.hpp>
#include <perp/problems/standard/friction_cone.hpp>
#include <perp/solvers/friction/cone_problem.hpp>
#include <perp/solvers/registry.hpp>

#include <memory>

namespace perp::test {
namespace {

// Contacts between random pairs of bodies with three velocities each, every third without friction.
// There are velocities with all slacks inside the cones.
Problem random_program(int bodies, int contacts, int dimension, std::uint64_t seed) {
  Random random(seed);
  const int nv = 3 * bodies, rows = dimension * contacts;
  DenseMatrix mass = DenseMatrix::Zero(nv, nv), j = DenseMatrix::Zero(rows, nv);
  Partition::Velocities velocities;
  for (int b = 0; b < bodies; ++b) {
    const DenseMatrix a = DenseMatrix::NullaryExpr(3, 3, [&] { return random.normal(); });
    mass.block(3 * b, 3 * b, 3, 3) = a * a.transpose() + DenseMatrix::Identity(3, 3);
    velocities.blocks.push_back(3);
    for (int k = 0; k < 3; ++k) velocities.unknowns.push_back(3 * b + k);
  }
  Vector mu(contacts), inside(rows);
  for (int c = 0; c < contacts; ++c) {
    mu[c] = c % 3 == 2 ? 0.0 : random.uniform(0.2, 0.9);
    for (const int body : {random.index(bodies), random.index(bodies)}) {
      for (int i = 0; i < dimension; ++i) {
        for (int k = 0; k < 3; ++k) j(dimension * c + i, 3 * body + k) = random.normal();
      }
    }
    for (int i = 0; i < dimension; ++i) inside[dimension * c + i] = i == 0 ? 3.0 : random.normal();
  }
  const Vector reached = gaussian(random, nv, 1);
  ConvexRelaxation r = relaxation_in_velocities({mass.sparseView(),
                                                 j.sparseView(),
                                                 5.0 * gaussian(random, nv, 1),
                                                 inside - j * reached,
                                                 {},
                                                 mu,
                                                 dimension});
  r.partition.velocities = velocities;
  r.problem.partition = std::make_shared<const Partition>(r.partition);
  return problem_of(std::move(r.problem));
}

Result solved(const char* name, const Problem& problem, double tolerance, const Start& start = {}) {
  const std::unique_ptr<Solver> solver = make_solver(name);
  solver->limits.tolerance = tolerance;
  solver->prepare(problem);
  const Result result = solver->solve(start);
  EXPECT_EQ(result.status, Status::kSolved) << name << ' ' << result.message;
  EXPECT_LE(verify(problem, {result.z, result.dual}, tolerance).measure, tolerance) << name;
  return result;
}

TEST(ConeProblem, BoundsTheMeasureOfTheVerifier) {
  Random random(4);
  for (const int dimension : {2, 3}) {
    const Problem problem = random_program(4, 9, dimension, 7);
    ConeProblem cones;
    cones.build(problem, ContactScaling::kContact);
    for (int trial = 0; trial < 50; ++trial) {
      Vector r = gaussian(random, cones.size(), 1), u(r.size()), x, dual, again;
      for (int c = 0; c < cones.contacts(); ++c) {
        const int given = cones.mu(c) > 0 ? dimension : 1;
        for (int i = given; i < 3; ++i) r[3 * c + i] = 0.0;
        project_on_cone(cones.mu(c), 3, &r[3 * c]);
      }
      cones.write(r, x, dual);
      const double natural = verify(problem, {x, dual}, 1.0).measure;
      EXPECT_GE(cones.measure(r) * (1 + 1e-9), natural);
      cones.velocity(r, u);
      EXPECT_NEAR(cones.measure(r, u), cones.measure(r), 1e-9 * cones.measure(r));
      cones.from_start({&x, &dual}, again);
      EXPECT_LT((again - r).norm(), 1e-13 * r.norm());
    }
  }
}

// The velocities are unique: those of another method, as far as that comes.
TEST(NewtonCone, GoesOnFromAnInteriorPointToRounding) {
  for (const int dimension : {2, 3}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const Problem problem = random_program(5, 8 + static_cast<int>(seed), dimension, seed);
      const Result near = solved("block-interior-point", problem, 1e-6);
      const Result exact = solved("interior-point", problem, 1e-7);
      for (const char* name : {"newton-cone", "proximal-cone"}) {
        const Result r = solved(name, problem, 1e-12, {&near.z, &near.dual});
        EXPECT_LT((r.z - exact.z).norm(), 1e-3 * (1 + exact.z.norm())) << name << ' ' << seed;
        const Result kept = solved(name, problem, 1e-12, {&r.z, &r.dual});
        EXPECT_EQ(kept.iterations, 0) << name;
      }
    }
  }
}

TEST(NewtonCone, SaysWhatItDoesNotTake) {
  const Problem good = random_program(3, 4, 3, 1);
  const auto expect_refused = [&](const Problem& problem, const std::string& why) {
    for (const char* name : {"newton-cone", "proximal-cone"}) {
      const auto refusal = make_solver(name)->refusal(problem);
      ASSERT_TRUE(refusal) << why;
      EXPECT_TRUE(refusal->starts_with(why)) << *refusal;
    }
  };
  EXPECT_FALSE(make_solver("newton-cone")->refusal(good));
  Problem other = good;
  std::get<ConicQp>(other.data).partition.reset();
  expect_refused(other, "partition: missing");
  Partition partition = *std::get<ConicQp>(good.data).partition;
  partition.bounds = {0};
  std::get<ConicQp>(other.data).partition = std::make_shared<const Partition>(partition);
  expect_refused(other, "partition.bounds");
}

}  // namespace
}  // namespace perp::test
