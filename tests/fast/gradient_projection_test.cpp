// Gradient projection: closed forms, other solvers as oracles, ranks, indefinite and unbounded
// functions, operators.
#include "support.hpp"

#include <perp/solvers/active_set/newton_min.hpp>
#include <perp/solvers/enumeration/enumerate.hpp>
#include <perp/solvers/gradient_projection/gradient_projection.hpp>
#include <perp/solvers/router.hpp>

#include <Eigen/Eigenvalues>

namespace perp::test {
namespace {

Result solve_by_projection(const Problem& p, double tolerance = 1e-10,
                           const GradientProjectionSettings& settings = {},
                           const Vector* start = nullptr) {
  GradientProjection solver;
  solver.settings = settings;
  solver.common.tolerance = tolerance;
  solver.prepare(p);
  const Result& r = solver.solve(start);
  EXPECT_EQ(r.status == Status::kSolved, verify(p, {r.z, {}}, tolerance).solved)
      << p.name << " " << to_string(r.status);
  return r;
}

std::vector<GradientProjectionSettings> face_settings() {
  std::vector<GradientProjectionSettings> all(3);
  all[1].face = "cg";
  all[2].face = "factorise";
  return all;
}

double objective(const BoxQp& p, const Vector& x) {
  return 0.5 * x.dot(p.H.multiply(x)) + p.c.dot(x);
}

// Bounds of every sort: none, one, two, equal.
BoxQp with_random_bounds(Random& random, DenseMatrix h, bool integer) {
  const int n = static_cast<int>(h.rows());
  BoxQp p{std::move(h), Vector(n), Vector::Constant(n, -kInf), Vector::Constant(n, kInf)};
  for (int i = 0; i < n; ++i) {
    p.c[i] = integer ? random.index(5) - 2 : random.normal();
    const int sort = random.index(6);
    if (sort >= 2) p.lower[i] = integer ? -random.index(3) : -random.uniform();
    if (sort == 1 || sort >= 3) p.upper[i] = integer ? random.index(3) : random.uniform();
    if (sort == 5) p.upper[i] = p.lower[i];
  }
  return p;
}

BoxQp random_qp(int seed, bool definite) {
  Random random(seed);
  const int n = 1 + random.index(8), rank = 1 + random.index(n);
  const bool integer = seed % 2 == 1;
  DenseMatrix a(n, rank);
  for (double& x : a.reshaped()) x = integer ? random.index(3) - 1 : random.normal();
  DenseMatrix h = a * a.transpose();
  if (!definite) {
    DenseMatrix b(n, n);
    for (double& x : b.reshaped()) x = integer ? random.index(3) - 1 : random.normal();
    h -= DenseMatrix(b + b.transpose());
  }
  return with_random_bounds(random, std::move(h), integer);
}

// PSD of any rank: minimum and status are those that enumeration of all bases finds.
TEST(GradientProjection, AgreesWithEnumerationOnConvexProblems) {
  int solved = 0, unbounded = 0;
  for (int seed = 0; seed < 1500; ++seed) {
    const BoxQp p = random_qp(seed, true);
    const Enumeration known = enumerate_solutions(to_mlcp(p), 1e-9);
    for (const auto& settings : face_settings()) {
      const Result r = solve_by_projection(problem_of(p), 1e-10, settings);
      if (known.solutions.empty()) {
        ASSERT_EQ(r.status, Status::kInfeasible) << seed << settings.face << r.message;
        EXPECT_TRUE(check_farkas(to_mlcp(p), r.certificate->y).holds);
        EXPECT_NE(r.message.find("unbounded below"), std::string::npos);
        ++unbounded;
      } else {
        ASSERT_EQ(r.status, Status::kSolved) << seed << settings.face << r.message;
        EXPECT_NEAR(objective(p, r.z), objective(p, known.solutions[0]), 1e-8) << seed;
        ++solved;
      }
    }
  }
  EXPECT_GT(solved, 1000);
  EXPECT_GT(unbounded, 100);
}

// Of an indefinite H stationary points are found, or a direction of descent without end.
TEST(GradientProjection, EndsAtStationaryPointsOfIndefiniteFunctions) {
  int solved = 0, unbounded = 0, said = 0;
  for (int seed = 0; seed < 1500; ++seed) {
    const BoxQp p = random_qp(seed, false);
    for (const auto& settings : face_settings()) {
      const Result r = solve_by_projection(problem_of(p), 1e-10, settings);
      if (r.status == Status::kSolved) {
        ++solved;
        said += r.message.find("indefinite") != std::string::npos;
        continue;
      }
      ASSERT_TRUE(r.certificate) << seed << settings.face << to_string(r.status) << r.message;
      ++unbounded;
      if (r.status == Status::kInfeasible) continue;  // checked by check_farkas
      ASSERT_EQ(r.status, Status::kRay) << seed << settings.face;
      const Vector& d = r.certificate->z;
      EXPECT_LE(d.dot(p.H.multiply(d)), 1e-12);
      EXPECT_LT(objective(p, r.z + 1e6 * d), objective(p, r.z) - 1e3);
      for (int i = 0; i < p.size(); ++i) {
        EXPECT_TRUE(d[i] == 0.0 || (d[i] > 0 ? p.upper : -p.lower)[i] == kInf) << seed;
      }
    }
  }
  EXPECT_GT(solved, 1000);
  EXPECT_GT(unbounded, 500);
  EXPECT_GT(said, 200);
}

}  // namespace
}  // namespace perp::test
