// Proofs hold in exact arithmetic, or they are none.
#include "support.hpp"

#include <gmpxx.h>
#include <cmath>
#include <perp/problems/standard/exact_conditions.hpp>
#include <perp/problems/standard/exact_linear_system.hpp>
#include <perp/solvers/router.hpp>

namespace perp::test {
namespace {

ConicQp conic_problem(const DenseMatrix& p, const Vector& c, const DenseMatrix& a, const Vector& b,
                      std::vector<Cone> cones) {
  return {Matrix(p), c, Matrix(a), b, std::move(cones)};
}

// Solvable, far out: 1e-11 x_0 = 1; 1e-11 z_0 >= 1.
ConicQp far_equation() {
  return conic_problem(DenseMatrix::Zero(2, 2), vector({0, 0}), matrix(2, 2, {1e-11, 0, 0, 1}),
                       vector({1, 0}), {{ConeType::kZero, 2}});
}
Lcp far_inequality() { return {matrix(2, 2, {1e-11, 0, 0, 1}), vector({-1, 1})}; }

// Without b'y < 0 nothing is excluded, near or far.
TEST(Certificates, WhatProvesNothingHasNoRadius) {
  const FarkasCheck zero = check_farkas(Lcp{matrix(1, 1, {1}), vector({1})}, vector({0}));
  EXPECT_FALSE(zero.holds || zero.excludes);
  EXPECT_TRUE(std::isnan(zero.radius));
  const FarkasCheck wrong = check_farkas(far_equation(), vector({1, 0}));
  EXPECT_FALSE(wrong.holds || wrong.excludes);
  EXPECT_TRUE(std::isnan(wrong.radius));
}

TEST(Certificates, DoNotProveWhatIsFalse) {
  const FarkasCheck a = check_farkas(far_equation(), vector({-1, 0}));
  EXPECT_FALSE(a.holds);
  EXPECT_TRUE(a.excludes);
  EXPECT_NEAR(a.radius, 1e11, 1e2);
  const FarkasCheck b = check_farkas(far_inequality(), vector({1, 0}));
  EXPECT_FALSE(b.holds);
  EXPECT_TRUE(b.excludes);
  EXPECT_TRUE(verify(problem_of(far_inequality()), {vector({1e11, 0}), {}}, 1e-8).solved);
  // Bounded below: 1/2 1e-12 x_1^2 + 1/2 x_2^2 - x_1 is least at (1e12, 0).
  const ConicQp flat = conic_problem(matrix(2, 2, {1e-12, 0, 0, 1}), vector({-1, 0}),
                                     DenseMatrix::Zero(0, 2), Vector(), {});
  const UnboundedCheck c = check_unbounded(flat, vector({1, 0}));
  EXPECT_FALSE(c.holds);
  EXPECT_TRUE(c.excludes);
  EXPECT_TRUE(verify(problem_of(flat), {vector({1e12, 0}), Vector()}, 1e-3).solved);
}

// Rounded products vanish, the exact ones do not: such a y excludes nothing that is a solution.
TEST(Certificates, WhatRoundingHidesExcludesNothing) {
  for (const double large : {1e20, 0x1p70}) {
    const Lcp p{matrix(3, 3, {large, -large, 0, 0.5, 0, 0, -large, large, 0}), vector({0, -1, 0})};
    EXPECT_TRUE(verify(problem_of(p), {vector({2, 2, 0}), {}}, 1e-12).solved);
    const FarkasCheck check = check_farkas(p, vector({1, 1, 1}));
    EXPECT_FALSE(check.holds);
    EXPECT_FALSE(check.excludes);
    EXPECT_LE(check.radius, 4.0);
  }
  const double large = 0x1p68;
  const ConicQp cone = conic_problem(DenseMatrix::Zero(2, 2), vector({0, 0}),
                                     matrix(3, 2, {-large, -4, large, 0, 0, 0x1p35}),
                                     vector({-1, 0, 0}), {{ConeType::kSecondOrder, 3}});
  EXPECT_TRUE(verify(problem_of(cone), {vector({1, 1}), vector({0, 0, 0})}, 1e-12).solved);
  const FarkasCheck outside = check_farkas(cone, vector({1, 1, 0x1p-33}));
  EXPECT_FALSE(outside.holds);
  EXPECT_FALSE(outside.excludes && outside.radius > 2.0);
}

// M'y is below the smallest double and not 0: the answers 1e200 and -1e200 are not excluded.
TEST(Certificates, WhatUnderflowsExcludesNothing) {
  const DenseMatrix tiny = matrix(1, 1, {1e-200});
  const Vector y = vector({1e-200});
  const FarkasCheck lcp = check_farkas(Lcp{tiny, vector({-1})}, y);
  EXPECT_FALSE(lcp.holds || lcp.excludes);
  EXPECT_LE(lcp.radius, 1e200);
  const FarkasCheck conic = check_farkas(conic_problem(DenseMatrix::Zero(1, 1), vector({0}), tiny,
                                                       vector({-1}), {{ConeType::kZero, 1}}),
                                         y);
  EXPECT_FALSE(conic.holds || conic.excludes);
  EXPECT_LE(conic.radius, 1e200);
  FrictionContact contact;
  contact.dimension = 2;
  contact.mu = vector({0});
  contact.W = Matrix(DenseMatrix(1e-200 * DenseMatrix::Identity(2, 2)));
  contact.q = vector({-1, 0});
  const FarkasCheck friction = check_farkas(contact, vector({1e-200, 0}));
  EXPECT_FALSE(friction.holds || friction.excludes);
  EXPECT_LE(friction.radius, 1e200);
  const UnboundedCheck slope = check_unbounded(
      conic_problem(tiny, vector({-1}), DenseMatrix::Zero(0, 1), Vector(), {}), vector({1e-200}));
  EXPECT_FALSE(slope.holds || slope.excludes);
  EXPECT_LE(slope.radius, 1e200);
}

// On the boundary of a cone, and with terms that cancel exactly: still a proof.
TEST(Certificates, ProofsOnABoundaryHold) {
  const ConicQp p = conic_problem(DenseMatrix::Zero(2, 2), vector({0, 0}),
                                  matrix(3, 2, {3e20, 4e20, -5e20, 0, 0, -5e20}),
                                  vector({-1e-9, 0, 0}), {{ConeType::kSecondOrder, 3}});
  const FarkasCheck check = check_farkas(p, vector({5, 3, 4}));
  EXPECT_TRUE(check.holds);
  EXPECT_EQ(check.radius, kInf);
}

// What no solver says of them: infeasible or unbounded.
TEST(Certificates, SolversDoNotClaimThem) {
  const BoxQp flat{matrix(2, 2, {1e-12, 0, 0, 1}), vector({-1, 0}), vector({-kInf, -kInf}),
                   vector({kInf, kInf})};
  for (const ProblemData& data :
       {ProblemData(far_equation()), ProblemData(flat), ProblemData(far_inequality())}) {
    for (const char* solver : {"auto", "lemke", "interior-point", "gradient-projection"}) {
      SolveRequest request;
      request.solver = solver;
      const VerifiedResult r = solve_verified(problem_of(data), request);
      EXPECT_NE(r.status, Status::kInfeasible) << solver;
      EXPECT_NE(r.status, Status::kRay) << solver;
      EXPECT_FALSE(r.certificate && r.certificate->checked) << solver;
    }
  }
}

// y solves M'y = 0 only as 1/3 does: the doubles next to it prove nothing, the repair does.
TEST(Certificates, AreRepairedInRationals) {
  // Free z: y'M = 0 is asked; M' y = (3 y_0 - y_1, ...).
  const Mlcp p{matrix(2, 2, {3, 0, -1, 0}), vector({-1, -1}), vector({-kInf, 0}),
               vector({kInf, kInf})};
  // Row 0 belongs to the free z_0, so y_0 has any sign; row 1 needs y_1 >= 0.
  const Vector y = vector({1.0 / 3.0, 1.0});
  EXPECT_NE(3.0L * static_cast<long double>(y[0]) - 1.0L, 0.0L);
  const FarkasCheck check = check_farkas(p, y);
  EXPECT_TRUE(check.holds);
  EXPECT_EQ(check.radius, kInf);
}

// Dependent equations need exact arithmetic, for no bound on roundings shows that they agree.
TEST(Certificates, HoldWithDependentRows) {
  Random random(4);
  for (int trial = 0; trial < 20; ++trial) {
    // A' y = 0 with the second column of A three times the first, integers.
    const int m = 6;
    DenseMatrix a(m, 2);
    Vector y = Vector::Zero(m);
    for (int i = 0; i < m; ++i) a(i, 0) = random.index(9) - 4;
    a(0, 0) = 7;
    a.col(1) = 3 * a.col(0);
    for (int i = 1; i < m; ++i) y[i] = random.normal();
    y[0] = -a.col(0).tail(m - 1).dot(y.tail(m - 1)) / 7;
    const Vector b = -y;
    const ConicQp p =
        conic_problem(DenseMatrix::Zero(2, 2), vector({0, 0}), a, b, {{ConeType::kZero, m}});
    EXPECT_TRUE(check_farkas(p, y).holds) << trial;
  }
}

TEST(Certificates, OfLargeFullRankSystemsAreBoundedWithAllRoundings) {
  const Problem p = generate(find_family("socp-infeasible"), 200, 3, {{"boundary", 0.0}});
  SolveRequest request;
  request.solver = "interior-point";
  const VerifiedResult r = solve_verified(p, request);
  EXPECT_EQ(r.status, Status::kInfeasible) << r.message;
}

TEST(ExactLinearSystem, SolvesWhatIsMadeOfIntegers) {
  Random random(2);
  for (int n : {1, 2, 5, 17, 40}) {
    std::vector<std::vector<mpz_class>> a(static_cast<std::size_t>(n));
    std::vector<mpz_class> b(static_cast<std::size_t>(n), 0), x(b);
    for (int i = 0; i < n; ++i) x[i] = random.index(2001) - 1000;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        a[i].push_back(mpz_class(random.index(200001) - 100000) << (random.index(60)));
        b[i] += a[i][j] * x[j];
      }
    }
    const auto found = solve_exactly(a, b, 1e9);
    ASSERT_TRUE(found.has_value()) << n;
    for (int i = 0; i < n; ++i) EXPECT_TRUE(found->numerators[i] == x[i] * found->denominator);
    for (int i = 0; i < n; ++i) b[i] = i + 1;  // fractions
    const auto fraction = solve_exactly(a, b, 1e9);
    ASSERT_TRUE(fraction.has_value()) << n;
    for (int i = 0; i < n; ++i) {
      mpz_class sum = 0;
      for (int j = 0; j < n; ++j) sum += a[i][j] * fraction->numerators[j];
      EXPECT_TRUE(sum == b[i] * fraction->denominator);
    }
  }
}

TEST(ExactLinearSystem, RefusesSingularMatricesAndTooMuchWork) {
  const std::vector<std::vector<mpz_class>> singular = {{1, 2}, {2, 4}};
  EXPECT_FALSE(solve_exactly(singular, {1, 1}, 1e9).has_value());
  const std::vector<std::vector<mpz_class>> regular = {{1, 2}, {2, 5}};
  EXPECT_FALSE(solve_exactly(regular, {1, 1}, 1.0).has_value());
}

// A dense system of order 60 may have solutions with thousands of digits, but one with short ones
// is found in a few steps.
TEST(ExactLinearSystem, FindsShortSolutionsInFewSteps) {
  Random random(4);
  const int n = 60;
  std::vector<std::vector<mpz_class>> a(n);
  std::vector<mpz_class> b(n, 0), x(b);
  for (int i = 0; i < n; ++i) x[i] = random.index(2001) - 1000;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      a[i].push_back(random.index(200001) - 100000);
      b[i] += a[i][j] * x[j];
    }
  }
  const double little = exact_work(a, b, 6);
  EXPECT_GT(exact_work(a, b), 1.3 * little);
  EXPECT_FALSE(solve_exactly(a, b, little).has_value());
  const auto found = solve_exactly(a, b, little, 6);
  ASSERT_TRUE(found.has_value());
  for (int i = 0; i < n; ++i) EXPECT_TRUE(found->numerators[i] == x[i] * found->denominator);
  for (int i = 0; i < n; ++i) b[i] = i + 1;  // long fractions
  EXPECT_FALSE(solve_exactly(a, b, little, 6).has_value());
  EXPECT_TRUE(solve_exactly(a, b, exact_work(a, b)).has_value());
}

// Second-order cones: the boundary is inside, a hair beyond is not.
TEST(ExactConditions, KnowTheBoundaryOfACone) {
  ConeConditions c;
  c.rows = SparseMatrix(DenseMatrix(DenseMatrix::Identity(3, 3)).sparseView());
  c.cones = {{ConeType::kSecondOrder, 3}};
  c.conic_rows = 3;
  c.objective = vector({-1, 0, 0});
  EXPECT_TRUE(hold_exactly(c, vector({5, 3, 4})));
  EXPECT_FALSE(hold_exactly(c, vector({std::nextafter(5.0, 0.0), 3, 4})));
  EXPECT_FALSE(hold_exactly(c, vector({std::nan(""), 3, 4})));
  c.objective = vector({0, 0, 0});
  EXPECT_FALSE(hold_exactly(c, vector({5, 3, 4})));  // not negative
}

// The last proof is remembered. Whatever differs from it by a bit is another question.
TEST(ExactConditions, AreAskedAgainIfAnythingChanges) {
  ConeConditions good;
  good.rows = SparseMatrix(DenseMatrix(DenseMatrix::Identity(4, 4)).sparseView());
  good.cones = {{ConeType::kSecondOrder, 3}};
  good.conic_rows = 3;
  good.objective = vector({-1, 0, 0, 0});
  good.low = good.high = vector({1});
  const Vector v = vector({5, 3, 4, 4});
  const auto expect_refused = [&](const auto& change) {
    ASSERT_TRUE(hold_exactly(good, v));
    ASSERT_TRUE(hold_exactly(good, v));
    ConeConditions other = good;
    change(other);
    EXPECT_FALSE(hold_exactly(other, v));
  };
  expect_refused([](ConeConditions& c) { c.rows.coeffRef(1, 1) = std::nextafter(1.0, 2.0); });
  expect_refused([](ConeConditions& c) { c.rows.coeffRef(3, 0) = 1.0; });
  expect_refused([](ConeConditions& c) { c.cones = {{ConeType::kZero, 3}}; });
  expect_refused([](ConeConditions& c) { c.objective[0] = 0.0; });
  expect_refused([](ConeConditions& c) { c.high[0] = 2.0; });
  ASSERT_TRUE(hold_exactly(good, v));
  EXPECT_FALSE(hold_exactly(good, vector({5, 3, std::nextafter(4.0, 5.0), 4})));
}

// Takes one kind only, and always gives this as its proof.
class Prover final : public Solver {
 public:
  Prover(std::string_view kind, Vector y)
      : traits_{"prover", "for tests", "", {kind}}, y_(std::move(y)) {}
  const SolverTraits& traits() const override { return traits_; }
  void visit_settings(SettingVisitor&) override {}

 private:
  void do_prepare(const Problem& problem) override { n_ = problem.size(); }
  void do_solve(const Start&, Observer*, Result& result) override {
    result.z = Vector::Zero(n_);
    result.status = Status::kInfeasible;
    result.certificate.emplace();
    result.certificate->type = "farkas";
    result.certificate->y = y_;
  }

  SolverTraits traits_;
  Vector y_;
  int n_ = 0;
};

VerifiedResult prove(const ProblemData& p, const Vector& y, std::string_view kind = "mlcp") {
  SolveRequest request;
  request.solver = "prover";
  request.make = [&](std::string_view) { return std::make_unique<Prover>(kind, y); };
  return solve_verified(problem_of(p), request);
}

// -z - 1 >= 0 has no solution z >= 0.
TEST(Certificates, OfAStatementThatCopiesTheNumbersAreThoseOfTheProblem) {
  const Vector one = vector({1}), zero = vector({0}), none = vector({kInf});
  const Matrix minus = matrix(1, 1, {-1});
  EXPECT_EQ(prove(Lcp{minus, -one}, one).status, Status::kInfeasible);
  EXPECT_EQ(prove(Mlcp{minus, -one, zero, none}, one, "lcp").status, Status::kInfeasible);
  EXPECT_EQ(prove(BoxQp{minus, -one, zero, none}, one, "lcp").status, Status::kInfeasible);
  EXPECT_EQ(prove(Lcp{matrix(1, 1, {2}), -one}, one).status, Status::kStalled);  // z = 1/2
  // Counted from the bound 3, F is computed: -3 + 2 - y.
  EXPECT_EQ(prove(Mlcp{minus, 2 * one, 3 * one, none}, one).status, Status::kInfeasible);
  EXPECT_EQ(prove(Mlcp{minus, 2 * one, 3 * one, none}, one, "lcp").status, Status::kStalled);
  EXPECT_EQ(prove(BoxQp{minus, 2 * one, 3 * one, none}, one, "lcp").status, Status::kStalled);
}

// The unknowns of the statement are x and the multipliers.
TEST(Certificates, OfTheStatementAsMlcpBecomeThoseOfTheConeProgram) {
  const ConicQp apart = conic_problem(matrix(1, 1, {1}), vector({0}), matrix(2, 1, {1, -1}),
                                      vector({-1, -1}), {{ConeType::kNonnegative, 2}});
  const VerifiedResult none = prove(apart, vector({0, 1, 1}));
  EXPECT_EQ(none.status, Status::kInfeasible);
  ASSERT_TRUE(none.certificate && none.certificate->checked);
  EXPECT_EQ(none.certificate->type, "farkas");
  EXPECT_EQ(none.certificate->y, vector({1, 1}));
  EXPECT_EQ(none.certificate->reduction, "");
  const ConicQp falls = conic_problem(DenseMatrix::Zero(1, 1), vector({-1}), matrix(1, 1, {-1}),
                                      vector({0}), {{ConeType::kNonnegative, 1}});
  const VerifiedResult without_end = prove(falls, vector({1, 0}));
  EXPECT_EQ(without_end.status, Status::kRay);
  ASSERT_TRUE(without_end.certificate && without_end.certificate->checked);
  EXPECT_EQ(without_end.certificate->type, "unbounded");
  EXPECT_EQ(without_end.certificate->z, vector({1}));
  EXPECT_EQ(without_end.certificate->reduction, "");
  EXPECT_EQ(prove(falls, vector({-1, 0})).status, Status::kStalled);  // proves nothing
}

}  // namespace
}  // namespace perp::test
