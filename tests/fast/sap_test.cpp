// SAP against its optimality conditions, against the same problem as a program over cones, and
// against closed forms.
#include "support.hpp"

#include <perp/solvers/friction/sap.hpp>
#include <perp/solvers/router.hpp>

#include <Eigen/Cholesky>
#include <Eigen/LU>

namespace perp::test {
namespace {

Problem pile(int contacts, std::uint64_t seed,
             const std::map<std::string, double>& parameters = {}) {
  return generate(find_family("compliant-pile"), contacts, seed, parameters);
}

Result solved(const Problem& p, double tolerance = 1e-10, const Vector* start = nullptr) {
  Sap sap;
  sap.limits.tolerance = tolerance;
  sap.prepare(p);
  return sap.solve(start);
}

TEST(Sap, SolvesPiles) {
  for (const int contacts : {1, 10, 100, 1000}) {
    for (const double mu : {0.0, 0.5, 1.5}) {
      const Problem p = pile(contacts, 1, {{"mu", mu}, {"overlap", 1e-4}});
      const Result r = solved(p);
      EXPECT_EQ(r.status, Status::kSolved) << contacts << " " << mu << " " << r.message;
      EXPECT_LE(evaluate_residuals(std::get<ConvexContact>(p.data), r.z).natural, 1e-10);
      EXPECT_LE(r.iterations, 100);
    }
  }
}

// From everywhere: the objective is strictly convex.
TEST(Sap, ConvergesFromAnyStart) {
  const Problem p = pile(60, 2);
  const Vector z = solved(p).z;
  Random random(3);
  for (const double size : {1e-3, 1.0, 1e3}) {
    Vector start(p.size());
    for (double& x : start) x = size * random.normal();
    const Result r = solved(p, 1e-10, &start);
    EXPECT_EQ(r.status, Status::kSolved) << size;
    EXPECT_LT((r.z - z).norm(), 1e-7 * z.norm()) << size;
  }
  EXPECT_EQ(solved(p, 1e-9, &z).iterations, 0);
}

// The same minimum as that of the conic program, in the norm of M.
TEST(Sap, AgreesWithTheConicProgram) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Problem p =
        pile(30, seed, {{"mu", seed % 2 ? 0.8 : 0.0}, {"compliance", seed % 3 ? 0 : 1e-4}});
    const auto& convex = std::get<ConvexContact>(p.data);
    const Reduction reduction = reduce_to_conic_qp(convex);
    EXPECT_TRUE(reduction.exact);
    const Problem conic = problem_of(reduction.problem);
    SolveRequest request;
    request.solver = "polish(interior-point)";
    // A complementarity of 1e-12 is one of errors of 1e-6: hence less.
    request.limits.tolerance = 1e-14;
    const VerifiedResult c = solve_verified(conic, request);
    ASSERT_EQ(c.status, Status::kSolved) << c.message;
    const Vector v = reduction.map_back(c.answer).z, z = solved(p, 1e-12).z;
    const auto norm = [&](const Vector& x) { return std::sqrt(x.dot(convex.A.multiply(x))); };
    EXPECT_LT(norm(v - z), 1e-7 * norm(z)) << seed;
    // The way there: a solution is mapped to a solution.
    const Answer start = reduction.map_start({z, {}});
    EXPECT_LT(evaluate_residuals(std::get<ConicQp>(conic.data), start.z, start.dual).natural, 1e-9);
  }
}

// The derivative of the impulses by differences, and that they are a gradient.
TEST(Sap, StiffnessIsTheDerivativeOfTheImpulses) {
  Random random(4);
  ConvexContact p;
  p.A = Matrix(DenseMatrix(DenseMatrix::Identity(3, 3)));
  p.J = p.A;
  p.R = vector({0.3, 0.02, 0.02});
  p.bias = p.v_star = Vector::Zero(3);
  p.mu = vector({0.7});
  CompliantContacts contacts;
  contacts.build(p);
  int slides = 0;
  for (int k = 0; k < 200; ++k) {
    Eigen::Vector3d u(random.normal(), 0.1 * random.normal(), 0.1 * random.normal());
    const Eigen::Matrix3d s = contacts.stiffness(0, u.data());
    EXPECT_EQ(s, s.transpose());
    for (int i = 0; i < 3; ++i) {
      const double step = 1e-7;
      Eigen::Vector3d up = u, down = u;
      up[i] += step;
      down[i] -= step;
      const Eigen::Vector3d d =
          (contacts.impulse(0, up.data()) - contacts.impulse(0, down.data())) / (2 * step);
      EXPECT_LT((s.col(i) + d).norm(), 1e-5 * (1 + s.norm()));
    }
    slides += s.determinant() < 1e-9 && !s.isZero(0.0);
  }
  EXPECT_GT(slides, 20);
}

TEST(Sap, WithoutContactsTheAnswerIsFreeMotion) {
  ConvexContact p;
  p.A = Matrix(matrix(2, 2, {2, 1, 1, 3}));
  p.J = Matrix(DenseMatrix(0, 2));
  p.R = p.bias = p.mu = Vector(0);
  p.v_star = vector({4, -5});
  const Result r = solved(problem_of(p));
  EXPECT_EQ(r.status, Status::kSolved);
  EXPECT_EQ(r.z, p.v_star);
}

// The order of elimination is kept for the same pattern, and other values give other answers.
TEST(Sap, UpdatesToOtherValues) {
  Problem p = pile(40, 5);
  Sap kept;
  kept.prepare(p);
  (void)kept.solve();
  std::get<ConvexContact>(p.data).v_star *= 0.5;
  std::get<ConvexContact>(p.data).R *= 3.0;
  kept.update(p);
  EXPECT_EQ(kept.solve().z, solved(p, 1e-8).z);
}

// The double gradient of an earlier iterate can be smaller than that of the one that was found to
// solve the problem; that one is the answer.
TEST(Sap, TheAnswerIsThePointThatWasMeasured) {
  ConvexContact p;
  p.A = Matrix(DenseMatrix(2.5 * DenseMatrix::Identity(3, 3)));
  p.J = Matrix(matrix(3, 3, {0, 1, 1, -1, -1, -1, -1, -1, -1}));
  p.R = Vector::Constant(3, 1.4753130822142551e-08);
  p.bias = Vector::Zero(3);
  p.mu = vector({0.8});
  p.v_star = vector({-0.8657153727884251, -0.25934446713401554, 0.2940491100390417});
  SolveRequest request;
  request.solver = "sap";
  EXPECT_NE(solve_verified(problem_of(p), request).status, Status::kWrong);
}

TEST(Sap, ATolerancesBelowRoundingEndsAsStalled) {
  const Result r = solved(pile(100, 1), 1e-30);
  EXPECT_EQ(r.status, Status::kStalled) << to_string(r.status) << " " << r.iterations;
}

TEST(Sap, AutoSolvesAndInteriorPointTakesTheStatement) {
  const auto expect_solved = [](const Problem& p, const char* solver) {
    SolveRequest request;
    request.solver = solver;
    const VerifiedResult r = solve_verified(p, request);
    EXPECT_EQ(r.status, Status::kSolved) << p.name << " " << solver << " " << r.message;
  };
  for (const char* solver : {"auto", "sap"}) expect_solved(pile(20, 1), solver);
  // Impulses follow from velocities over the compliance, which is small: of 20 contacts, rounding
  // decides whether the conic program is solved well enough for 1e-8. Of 5, 1e-12 is reached.
  expect_solved(pile(5, 1), "polish(interior-point)");
}

// A start whose residual is not finite is no better than none; the last answer is that of another
// solve.
TEST(Sap, TheLastAnswerIsForgotten) {
  const Problem p = pile(5, 1);
  const Vector far = Vector::Constant(p.size(), 1e308);
  Sap again, fresh;
  again.prepare(p);
  again.solve();
  fresh.prepare(p);
  const Result &r = again.solve(&far), &alone = fresh.solve(&far);
  EXPECT_EQ(r.status, alone.status);
  EXPECT_EQ(r.z, alone.z);
}

}  // namespace
}  // namespace perp::test
