// Contacts whose gaps contradict each other: proofs that a friction problem has no solution.
#include "support.hpp"

#include <perp/problems/limits/current_deadline.hpp>
#include <perp/problems/standard/reductions.hpp>
#include <perp/solvers/pivoting/farkas.hpp>
#include <perp/solvers/router.hpp>

namespace perp::test {
namespace {

// A point mass of 1/2 kg between two parallel walls that ask for the velocities -q away from each.
// Rows: normal, two tangents of each wall.
FrictionContact between_walls(double q_left, double q_right, bool keeps_velocities) {
  FrictionContact p;
  const DenseMatrix j = (DenseMatrix(6, 3) << 1, 0, 0, 0, 1, 0, 0, 0, 1,  //
                         -1, 0, 0, 0, 1, 0, 0, 0, -1)
                            .finished();
  if (keeps_velocities) {
    p.J = Matrix(j);
    p.M = Matrix(DenseMatrix(DenseMatrix::Identity(3, 3) / 2));
  } else {
    p.W = Matrix(DenseMatrix(2 * j * j.transpose()));
  }
  p.q = vector({q_left, 0.1, 0, q_right, 0.1, 0});
  p.mu = vector({0.3, 0.5});
  return p;
}

TEST(FrictionCertificates, ProveThatGapsContradictEachOther) {
  for (const bool keeps_velocities : {false, true}) {
    const FrictionContact p = between_walls(-1, 0.5, keeps_velocities);
    const FarkasCheck proof = check_farkas(p, vector({2, 0, 0, 2, 0, 0}));
    EXPECT_TRUE(proof.holds) << keeps_velocities;
    EXPECT_EQ(proof.supremum, -1);
    EXPECT_LT(proof.violation, 1e-20);  // what rounding may hide
    // Not of normals alone, of the wrong sign, not in balance, or not demanded by the gaps.
    for (const Vector& y :
         {vector({2, 1, 0, 2, -1, 0}), vector({-2, 0, 0, -2, 0, 0}), vector({2, 0, 0, 1, 0, 0}),
          vector({0, 0, 0, 0, 0, 0}), vector({kInf, 0, 0, 2, 0, 0})}) {
      const FarkasCheck check = check_farkas(p, y);
      EXPECT_FALSE(check.holds || check.excludes) << y.transpose();
    }
    const FrictionContact wide = between_walls(-1, 1.5, keeps_velocities);
    const FarkasCheck none = check_farkas(wide, vector({2, 0, 0, 2, 0, 0}));
    EXPECT_FALSE(none.holds || none.excludes);
    EXPECT_THROW(check_farkas(p, vector({1, 1})), std::invalid_argument);
  }
}

// A contact that gives way makes room.
TEST(FrictionCertificates, DoNotCountCompliantContacts) {
  FrictionContact p = between_walls(-1, 0.5, false);
  p.compliance = vector({0, 0, 0, 0.1, 0, 0});
  const FarkasCheck check = check_farkas(p, vector({1, 0, 0, 1, 0, 0}));
  EXPECT_FALSE(check.holds || check.excludes);
  EXPECT_FALSE(find_farkas(p, 0.0));
  EXPECT_EQ(solve_verified(problem_of(p), {}).status, Status::kSolved);
}

TEST(FrictionCertificates, AreNoProofOfWhatIsSolvedFarOut) {
  FrictionContact p;
  p.dimension = 2;
  p.W = matrix(2, 2, {1e-11, 0, 0, 1});
  p.q = vector({-1, 0});
  p.mu = vector({0.5});
  EXPECT_TRUE(verify(problem_of(p), {vector({1e11, 0}), {}}, 1e-8).solved);
  const FarkasCheck check = check_farkas(p, vector({1, 0}));
  EXPECT_FALSE(check.holds);
  EXPECT_TRUE(check.excludes);
  EXPECT_LE(check.radius, 1e11);
  EXPECT_GT(check.radius, 0.999e11);
}

// Impulses in the cones with u_n >= 0 are planted; what certificates exclude lies closer.
TEST(FrictionCertificates, NeverExcludeAFeasiblePoint) {
  Random random(5);
  int near_misses = 0, exclusions = 0;
  for (int trial = 0; trial < 400; ++trial) {
    FrictionContact p = random_friction_problem(random);
    const int d = p.dimension, n = p.size();
    DenseMatrix w = p.W.to_dense();
    const int far = 42 + random.index(10);
    if (trial % 2 == 0) {  // the last contact is the counterpart of the first, or nearly
      w.bottomRows(d) = -w.topRows(d).eval();
      w.rightCols(d) = -w.leftCols(d).eval();
      if (trial % 4 == 0) w(n - d, 0) *= 1 - std::ldexp(1.0, random.index(6) - far);
      p.W = Matrix(w);
    }
    Vector r = Vector::Zero(n);
    for (int c = 0; c < p.contacts(); ++c) {
      const double size = std::ldexp(random.uniform(), trial % 4 == 0 ? 0 : random.index(60));
      r[d * c] = size;
      for (int k = 1; k < d; ++k) r[d * c + k] = 0.5 * p.mu[c] * size * random.uniform();
    }
    if (trial % 4 == 0) {  // the two nearly balance each other, and far out they part
      r[0] += std::ldexp(1.0, far);
      if (p.contacts() > 1) r[n - d] += std::ldexp(1.0, far);
    }
    Vector u = gaussian(random, n, 1);
    for (int c = 0; c < p.contacts(); ++c) u[d * c] = random.index(3) * std::abs(u[d * c]);
    p.q = u - w * r;
    // What rounding takes from u_n is given back.
    const Vector rounded = p.relative_velocity(r);
    for (int i = 0; i < n; i += d) p.q[i] += std::max(0.0, -2 * rounded[i]);
    Vector y = Vector::Zero(n);
    y[0] = 1;
    if (p.contacts() > 1) y[n - d] = 1;
    for (const Vector& tried : {y, Vector(y * 3), Vector(gaussian(random, n, 1).cwiseAbs())}) {
      const FarkasCheck check = check_farkas(p, tried);
      EXPECT_FALSE(check.holds) << trial;
      if (check.excludes) {
        EXPECT_LE(check.radius, r.lpNorm<1>() * (1 + 1e-9)) << trial;
      }
      near_misses += check.supremum < 0;
      exclusions += check.excludes;
    }
    if (const auto found = find_farkas(p, 0.0)) {
      EXPECT_FALSE(found->check.holds) << trial;
      EXPECT_LE(found->check.radius, r.lpNorm<1>() * (1 + 1e-9)) << trial;
    }
  }
  EXPECT_GT(near_misses, 50);
  EXPECT_GT(exclusions, 10);
}

TEST(FrictionCertificates, AreFoundByCertifyAndByAuto) {
  for (const bool keeps_velocities : {false, true}) {
    const Problem none = problem_of(between_walls(-1, 0.5, keeps_velocities));
    for (const char* solver : {"certify(newton-ac)", "auto"}) {
      SolveRequest request;
      request.solver = solver;
      const VerifiedResult result = solve_verified(none, request);
      EXPECT_EQ(result.status, Status::kInfeasible) << solver;
      ASSERT_TRUE(result.certificate);
      EXPECT_TRUE(result.certificate->checked);
      EXPECT_EQ(result.route.back().solver.str(), "certify");
    }
    EXPECT_FALSE(find_farkas(between_walls(-1, 1.5, keeps_velocities), 0.0));
    std::optional<Vector> feasible;
    EXPECT_FALSE(find_farkas(between_walls(-1, 1.5, keeps_velocities), 0.0, &feasible));
    ASSERT_TRUE(feasible);
    const Vector u = between_walls(-1, 1.5, keeps_velocities).relative_velocity(*feasible);
    EXPECT_GE(std::min(u[0], u[3]), -1e-12);
  }
}

// Of contacts with pyramids, the normals alone decide, and impulses that push them apart are found
// with slips that make all rows nonnegative.
TEST(FrictionCertificates, OfPyramidsAreThoseOfNormals) {
  for (const double q : {0.5, 1.5}) {
    const FrictionContact p = between_walls(-1, q, false);
    const Reduction pyramids = reduce_to_pyramid_lcp(p, 4);
    const auto& lcp = std::get<Lcp>(pyramids.problem);
    std::optional<Vector> feasible;
    const auto found = find_farkas(lcp, 0.0, &feasible);
    EXPECT_EQ(found.has_value(), q < 1);
    EXPECT_EQ(feasible.has_value(), q > 1);
    if (found) {
      EXPECT_TRUE(found->check.holds);
      EXPECT_EQ((found->y.array() != 0).count(), 2);
    }
    if (feasible) {
      EXPECT_GE(feasible->minCoeff(), 0);
      EXPECT_GE((lcp.M.multiply(*feasible) + lcp.q).minCoeff(), -1e-12);
    }
  }
}

// Balls in a row, pushed against a wall: W couples neighbours. Sweeps do not reach the far end, and
// no path of pivots is followed, which would hear the interruption.
TEST(FrictionCertificates, ALongRowIsPushedApartWithoutAPath) {
  const int n = 1000;
  FrictionContact row;
  row.dimension = 2;
  SparseMatrix w(2 * n, 2 * n);
  for (int c = 0; c < n; ++c) {
    w.coeffRef(2 * c, 2 * c) = c == 0 ? 1 : 2;
    w.coeffRef(2 * c + 1, 2 * c + 1) = 1;
    if (c > 0) w.coeffRef(2 * c, 2 * c - 2) = w.coeffRef(2 * c - 2, 2 * c) = -1;
  }
  row.W = Matrix(w);
  row.q = Vector::Constant(2 * n, -1.0);
  row.mu = Vector::Constant(n, 0.5);
  std::optional<Vector> feasible, none;
  CurrentDeadline::set_probe([] { return true; });
  const auto proof = find_farkas(row, 0.0, &feasible);
  // This one needs a path: the walls leave too little room, so nothing pushes all contacts apart.
  const auto interrupted = find_farkas(between_walls(-1, 0.5, false), 0.0, &none);
  CurrentDeadline::set_probe(nullptr);
  EXPECT_FALSE(proof);
  ASSERT_TRUE(feasible);
  const Vector u = row.relative_velocity(*feasible);
  for (int c = 0; c < n; ++c) EXPECT_GE(u[2 * c], 0);
  EXPECT_FALSE(interrupted);
  EXPECT_FALSE(none);
  EXPECT_TRUE(find_farkas(between_walls(-1, 0.5, false), 0.0));
}

// A ball in a corner that is too narrow: the numbers of W are rounded, so that the normals do not
// balance each other exactly.
TEST(FrictionCertificates, EndTheTriesIfTheCallerHasNoUseForWhatIsFarAway) {
  Random random(3);
  int excluded = 0;
  for (int trial = 0; trial < 20; ++trial) {
    DenseMatrix j = gaussian(random, 12, 3);
    j.row(9) = -(j.row(0) + 2 * j.row(3) + 0.7 * j.row(6)) / 3;
    FrictionContact p;
    p.W = Matrix(DenseMatrix(j * j.transpose() / 3));
    p.q = gaussian(random, 12, 1);
    for (int c = 0; c < 4; ++c) p.q[3 * c] = -1;
    p.mu = Vector::Constant(4, 0.4);
    SolveRequest request;
    request.stop_if_excluded = true;
    request.limits.max_iterations = 2000;
    const VerifiedResult result = solve_verified(problem_of(p), request);
    EXPECT_TRUE(result.status == Status::kExcluded || result.status == Status::kInfeasible)
        << trial << ": " << to_string(result.status);
    excluded += result.status == Status::kExcluded;
    EXPECT_EQ(result.route.back().solver.str(), "certify") << trial;
    ASSERT_TRUE(result.certificate);
    EXPECT_GT(result.certificate->radius, 1e10);
    const std::size_t tries = result.route.size();
    request.stop_if_excluded = false;
    if (result.status == Status::kExcluded) {
      EXPECT_GT(solve_verified(problem_of(p), request).route.size(), tries) << trial;
    }
  }
  EXPECT_GT(excluded, 5);
}

}  // namespace
}  // namespace perp::test
