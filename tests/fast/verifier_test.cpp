// The verifier against answers that are wrong but look right, one by one.
#include "support.hpp"

#include <cmath>
#include <functional>
#include <perp/problems/expression/expr.hpp>
#include <perp/problems/standard/extended.hpp>
#include <perp/problems/standard/friction_measure.hpp>
#include <perp/problems/standard/mass_inverse.hpp>

namespace perp::test {
namespace {

Verdict verdict_on(ProblemData data, const Vector& z, double tolerance = 1e-8,
                   const Vector& dual = {}) {
  return verify(std::move(data), Answer{z, dual}, tolerance);
}

// 0 <= z complementary to a recorded function of z.
Mcp recorded(const std::function<Expr(const Expr&)>& f) {
  Recorder recorder;
  const ExprVector z = recorder.variables(1);
  Mcp p;
  p.graph = std::make_shared<const ExpressionGraph>(recorder.graph({f(z[0])}));
  p.lower = vector({0});
  p.upper = vector({kInf});
  return p;
}

FrictionContact contacts(const DenseMatrix& w, const Vector& q, double mu = 0.5) {
  FrictionContact p;
  p.W = Matrix(w);
  p.q = q;
  p.mu = Vector::Constant(q.size() / 3, mu);
  return p;
}

// Sums -----------------------------------------------------------------------------------------

TEST(Extended, SumsWithoutRounding) {
  const Matrix a(matrix(1, 3, {1e30, 1.0, -1e30}));
  const Matrix b(matrix(1, 4, {1e200, 1e100, -1e200, 3.0}));
  EXPECT_EQ(sum_of({AffineTerm::product(a, vector({1, 0.05, 1}))}, 1).values[0],
            static_cast<Extended>(0.05));
  EXPECT_EQ(
      sum_of({AffineTerm::product(b, vector({1, 1, 1, 1})), AffineTerm::vector(vector({-1e100}))},
             1)
          .values[0],
      3.0L);
  // Products of the largest and smallest doubles.
  const Matrix c(matrix(1, 2, {1e308, 1e-308}));
  EXPECT_EQ(sum_of({AffineTerm::product(c, vector({1e308, 0}))}, 1).values[0],
            static_cast<Extended>(1e308) * static_cast<Extended>(1e308));
  EXPECT_GT(sum_of({AffineTerm::product(c, vector({0, 1e-308}))}, 1).values[0], 0.0L);
}

// 2^k multiples of the same row, added and taken away in an order of their own, leave what was put
// in.
TEST(Extended, AgreesWithExactArithmeticOnCancellation) {
  Random random(5);
  for (int trial = 0; trial < 50; ++trial) {
    const int n = 40;
    DenseMatrix row(1, 2 * n + 1);
    Vector x(2 * n + 1);
    for (int i = 0; i < n; ++i) {
      row(0, i) = random.normal() * std::pow(10.0, random.uniform(-12, 12));
      x[i] = random.normal() * std::pow(10.0, random.uniform(-12, 12));
      row(0, 2 * n - i) = -row(0, i);
      x[2 * n - i] = x[i];
    }
    row(0, n) = random.normal();
    x[n] = 1.0;
    const Matrix m(row);
    EXPECT_EQ(sum_of({AffineTerm::product(m, x)}, 1).values[0], static_cast<Extended>(row(0, n)));
  }
}

TEST(Extended, RoundsUp) {
  const Extended above = 1e-8L + 1e-26L;
  EXPECT_GE(static_cast<Extended>(round_up(above)), above);
  EXPECT_EQ(round_up(0.5L), 0.5);
}

// Bounds ---------------------------------------------------------------------------------------

TEST(VerifierOfBounds, AddsTheVectorBeforeItRounds) {
  const Lcp p{matrix(2, 2, {0, 0, 1e15, 1}), vector({0, -1e15})};
  const Verdict v = verdict_on(p, vector({1, 0.05}));  // F_1 = 0.05, lost if the product is rounded
  EXPECT_FALSE(v.solved);
  EXPECT_EQ(v.measure, 0.05);
  EXPECT_EQ(evaluate_map(p, vector({1, 0.05}))[1], 0.05);
}

TEST(VerifierOfBounds, LabelsAMissAtTheRoundingFloorAndDoesNotGrantIt) {
  const Lcp p{matrix(1, 1, {3}), vector({-1e12})};
  const Verdict near = verdict_on(p, vector({1e12 / 3}));
  EXPECT_FALSE(near.solved);
  EXPECT_TRUE(near.at_floor);
  const Verdict far = verdict_on(p, vector({1e12 / 3 + 1}));
  EXPECT_FALSE(far.solved);
  EXPECT_FALSE(far.at_floor);
}

// The rounding of F is no excuse for a z outside of its bounds.
TEST(VerifierOfBounds, TheFloorIsThatOfWhatDecides) {
  const Lcp p{matrix(2, 2, {0, 1e14, 0, 1}), vector({-1e14, -1})};
  EXPECT_TRUE(verdict_on(p, vector({0, 1})).solved);
  const Verdict outside = verdict_on(p, vector({-1e-3, 1}));
  EXPECT_FALSE(outside.at_floor);
  EXPECT_LT(outside.residuals.floor, 1e-15);
  const Verdict of_f = verdict_on(p, vector({1e-3, 1 + 1e-16}));  // F_0 is 0 up to its rounding
  EXPECT_TRUE(of_f.solved || of_f.at_floor);
  const Verdict no_bound = verdict_on(p, vector({1e-3, 2}));  // F_0 = 1e14 is no rounding
  EXPECT_FALSE(no_bound.at_floor);
}

TEST(VerifierOfCones, TheFloorOfAMultiplierIsItsOwn) {
  ConicQp p;  // min 1e-5 x, 0 <= x <= 1e12
  p.P = Matrix(DenseMatrix::Zero(1, 1));
  p.c = vector({1e-5});
  p.A = Matrix(matrix(2, 1, {1, -1}));
  p.b = vector({1e12, 0});
  p.cones = {{ConeType::kNonnegative, 2}};
  const Verdict sign = verify(p, {vector({1e12}), vector({-1e-5, 0})}, 1e-8);
  EXPECT_FALSE(sign.solved);
  EXPECT_FALSE(sign.at_floor);
  EXPECT_TRUE(verify(p, {vector({0}), vector({0, 1e-5})}, 1e-8).solved);
}

TEST(VerifierOfBounds, TellsVacuousAnswers) {
  Problem p = problem_of(Lcp{matrix(1, 1, {1}), vector({1})});
  EXPECT_EQ(verify(p, {vector({0}), {}}, 1e-8).vacuous, Vacuous::kZero);
  p = problem_of(Lcp{matrix(1, 1, {1}), vector({-1})});
  EXPECT_EQ(verify(p, {vector({1}), {}}, 1e-8).vacuous, Vacuous::kNo);
  p.start = vector({1});
  EXPECT_EQ(verify(p, {vector({1}), {}}, 1e-8).vacuous, Vacuous::kStart);
  EXPECT_EQ(verify(p, {vector({0}), {}}, 2.0).vacuous, Vacuous::kZero);
  p = problem_of(contacts(DenseMatrix::Identity(3, 3), vector({1, 0, 0})));
  EXPECT_EQ(verify(p, {vector({0, 0, 0}), {}}, 1e-8).vacuous, Vacuous::kZero);
  // The start, with the impulse that pulls at the contact without friction projected to 0.
  FrictionContact two = contacts(DenseMatrix::Identity(6, 6), vector({-1, 0, 0, 1, 0, 0}));
  two.mu = vector({0.5, 0});
  p = problem_of(two);
  p.start = vector({1, 0, 0, -1, 0, 0});
  EXPECT_EQ(verify(p, {vector({1, 0, 0, 0, 0, 0}), {}}, 1e-8).vacuous, Vacuous::kStart);
}

// Nonlinear ------------------------------------------------------------------------------------

TEST(VerifierOfNonlinear, RefusesPolesAtABound) {
  const std::vector<Mcp> poles = {
      recorded([](const Expr& z) { return 1.0 / z - 5.0; }),
      recorded([](const Expr& z) { return -log(z); }),
      recorded([](const Expr& z) { return 1.0 / z; }),
      recorded([](const Expr& z) { return pow(z, -0.5); }),
  };
  for (const Mcp& p : poles) {
    for (const double z : {0.0, 1e-9, 1e-300, -1e-9}) {
      const Verdict v = verdict_on(p, vector({z}));
      EXPECT_FALSE(v.solved) << z;
      EXPECT_FALSE(v.measure <= 1e-8) << z;
    }
  }
  EXPECT_TRUE(verdict_on(poles[0], vector({0.2})).solved);
  EXPECT_TRUE(verdict_on(poles[1], vector({1.0})).solved);
}

// z = 2e-9 seems held by its bound, but at the bound, beyond the pole, F has the other sign.
TEST(VerifierOfNonlinear, RefusesPointsBeyondAPole) {
  const Mcp p = recorded([](const Expr& z) { return 1.0 / (z - 1e-9) + 5.0; });
  const Verdict v = verdict_on(p, vector({2e-9}));
  EXPECT_LE(v.residuals.natural, 1e-8);
  EXPECT_FALSE(v.solved);
  EXPECT_GT(v.measure, 1e8);
}

TEST(VerifierOfNonlinear, GrantsAnswersAtBoundsThatHold) {
  const Mcp p = recorded([](const Expr& z) { return exp(z); });
  EXPECT_TRUE(verdict_on(p, vector({0.0})).solved);
  EXPECT_TRUE(verdict_on(p, vector({-1e-9})).solved);
  Mcp fixed = recorded([](const Expr& z) { return z - 7.0; });
  fixed.upper = vector({0});  // l = u leaves F free
  EXPECT_TRUE(verdict_on(fixed, vector({0.0})).solved);
}

TEST(VerifierOfNonlinear, EvaluatesGraphsBeyondDouble) {
  // (1e16 + z) - 1e16 - 1: 2 is what double makes of z = 1.5.
  const Mcp p = recorded([](const Expr& z) { return (1e16 + z) - 1e16 - 2.0; });
  EXPECT_FALSE(verdict_on(p, vector({1.5})).solved);
  EXPECT_TRUE(verdict_on(p, vector({2.0})).solved);
}

// Cones ----------------------------------------------------------------------------------------

TEST(VerifierOfConicQps, RefusesAGapThatCancels) {
  const auto lp = [](double cost) {  // min cost x_1 + x_2, x >= 0
    return ConicQp{DenseMatrix(DenseMatrix::Zero(2, 2)),
                   vector({cost, 1}),
                   DenseMatrix(-DenseMatrix::Identity(2, 2)),
                   vector({0, 0}),
                   {{ConeType::kNonnegative, 2}}};
  };
  EXPECT_FALSE(verdict_on(lp(1e9), vector({-1e-9, 1}), 1e-8, vector({1e9, 1})).solved);
  EXPECT_FALSE(verdict_on(lp(1e3), vector({-1e-8, 1e-5}), 1e-8, vector({1e3, 1})).solved);
  EXPECT_TRUE(verdict_on(lp(1e9), vector({0, 0}), 1e-8, vector({1e9, 1})).solved);
}

// The complementarity of a second-order cone, in every case of its natural map.
TEST(VerifierOfConicQps, JudgesSecondOrderCones) {
  const auto cone = [](const Vector& b) {  // min 1/2 |x|^2, s = x + b in the cone: y = x
    return ConicQp{DenseMatrix(DenseMatrix::Identity(3, 3)),
                   vector({0, 0, 0}),
                   DenseMatrix(-DenseMatrix::Identity(3, 3)),
                   b,
                   {{ConeType::kSecondOrder, 3}}};
  };
  const ConicQp p = cone(vector({0, 2, 0}));
  const Vector x = vector({1, -1, 0});  // s = x + b = (1, 1, 0), y = x
  EXPECT_TRUE(verdict_on(p, x, 1e-14, x).solved);
  for (const Vector& off : {vector({1e-6, 0, 0}), vector({0, 1e-6, 0}), vector({0, 0, 1e-3})})
    EXPECT_FALSE(verdict_on(p, x + off, 1e-8, x + off).solved);
  // s and y both well inside: every primal and dual residual is zero.
  const ConicQp q = cone(vector({5, 0, 0}));
  const Verdict v = verdict_on(q, vector({3, 0, 0}), 1e-8, vector({3, 0, 0}));
  EXPECT_EQ(v.residuals.primal, 0.0);
  EXPECT_EQ(v.residuals.dual, 0.0);
  EXPECT_GT(v.residuals.complementarity, 1.0);
  EXPECT_FALSE(v.solved);
}

// Friction -------------------------------------------------------------------------------------

TEST(VerifierOfFriction, AFarContactHidesNothing) {
  const FrictionContact p = contacts(DenseMatrix::Identity(6, 6), vector({-1e9, 0, 0, -1, 0, 0}));
  const Verdict v = verdict_on(p, vector({1e9, 0, 0, 0, 0, 0}));
  EXPECT_LE(v.residuals.relative, 1e-8);  // FCLIB's number
  EXPECT_FALSE(v.solved);
  EXPECT_EQ(v.residuals.worst_index, 3);
  EXPECT_TRUE(verdict_on(p, vector({1e9, 0, 0, 1, 0, 0})).solved);
}

TEST(VerifierOfFriction, NormsDoNotOverflow) {
  const FrictionContact p = contacts(DenseMatrix::Identity(3, 3), vector({1e160, 0, 0}));
  EXPECT_TRUE(verdict_on(p, vector({0, 0, 0})).solved);
  EXPECT_FALSE(verdict_on(contacts(DenseMatrix::Identity(6, 6), vector({1e160, 0, 0, 1, 0, 0})),
                          vector({0, 0, 0, -1, 0, 0}))
                   .solved);
  EXPECT_FALSE(verdict_on(p, vector({-1e153, 0, 0})).solved);
}

TEST(VerifierOfFriction, NothingCancelsBesideLargeImpulses) {
  const FrictionContact p = contacts(1e-12 * DenseMatrix::Identity(3, 3), vector({-1, 0, 0}));
  EXPECT_TRUE(verdict_on(p, vector({1e12, 0, 0})).solved);
  EXPECT_FALSE(verdict_on(p, vector({1e12 * (1 + 5e-5), 0, 0})).solved);
}

// F_nat in components against r - Pi(r - u_hat) where that loses nothing.
TEST(VerifierOfFriction, NaturalMapIsTheOneOfTheDefinition) {
  Random random(9);
  for (int trial = 0; trial < 2000; ++trial) {
    const double mu = trial % 7 == 0 ? 0.0 : random.uniform(0.0, 2.0);
    const int d = trial % 2 == 0 ? 3 : 2;
    double r[3], u[3], f[3] = {}, w[3], projected[3] = {};
    for (int k = 0; k < 3; ++k) {
      r[k] = k < d ? random.normal() : 0.0;
      u[k] = k < d ? random.normal() : 0.0;
    }
    friction_natural_map<double>(d, r, u, mu, f);
    w[0] = r[0] - (u[0] + mu * std::hypot(u[1], u[2]));
    w[1] = r[1] - u[1];
    w[2] = r[2] - u[2];
    const double t = std::hypot(w[1], w[2]);
    if (t <= mu * w[0]) {
      std::copy(w, w + 3, projected);
    } else if (mu * t > -w[0]) {
      const double n = (w[0] + mu * t) / (1 + mu * mu);
      projected[0] = n;
      projected[1] = mu * n * w[1] / t;
      projected[2] = mu * n * w[2] / t;
    }
    for (int k = 0; k < d; ++k) EXPECT_NEAR(f[k], r[k] - projected[k], 1e-13) << trial;
  }
}

// An error of the normal velocity counts in full, whatever mu: the natural map divides it.
TEST(VerifierOfFriction, LargeFrictionHidesNoNormalVelocity) {
  for (const int d : {2, 3}) {
    for (const double mu : {0.5, 1e3, 1e6, 1e10, 1e14}) {
      FrictionContact p;
      p.dimension = d;
      p.W = Matrix(DenseMatrix(DenseMatrix::Identity(d, d)));
      p.q = d == 3 ? vector({-1, 0.4, 0}) : vector({-1, 0.4});
      p.mu = vector({mu});
      const Vector solution = (-p.q).eval(), none = Vector::Zero(d);
      const Problem problem = problem_of(p);
      EXPECT_TRUE(verify(problem, {solution, {}}, 1e-12).solved) << mu;  // it sticks
      const Verdict verdict = verify(problem, {none, {}}, 1e-2);
      EXPECT_FALSE(verdict.solved) << mu;
      EXPECT_GE(verdict.measure, 0.9 / p.q.norm()) << mu;
      // A contact that slides and separates while it pushes: r on the cone, u_n = 1.
      p.q = d == 3 ? vector({0, 1, 0}) : vector({0, 1});
      Vector sliding = none;
      sliding[0] = 1;
      sliding[1] = -mu;
      p.q[1] += mu;
      EXPECT_GE(verify(problem_of(p), {sliding, {}}, 1e-2).residuals.by_part, 0.9 / p.q.norm())
          << mu;
    }
  }
}

TEST(VerifierOfFriction, TheErrorOfAContactIsThatOfItsMapButForTheNormalOne) {
  Random random(11);
  for (int trial = 0; trial < 2000; ++trial) {
    const double mu = random.uniform(0.0, 4.0);
    double r[3], u[3], f[3];
    for (double& x : r) x = random.normal();
    for (double& x : u) x = random.normal();
    friction_natural_map<double>(3, r, u, mu, f);
    const double map = std::hypot(f[0], f[1], f[2]), normal = std::abs(std::min(r[0], u[0]));
    const double error = static_cast<double>(friction_error<double>(3, r, u, mu));
    EXPECT_NEAR(error, std::max(map, normal), 1e-14 * error);
    EXPECT_LE(error, (1 + 1e-12) * std::sqrt(1 + mu * mu) * map) << trial;  // no other is lost
  }
}

TEST(VerifierOfFriction, FindsThePartsThatDoNotActOnEachOther) {
  DenseMatrix w = DenseMatrix::Identity(9, 9);
  w(0, 4) = w(4, 0) = 1e-3;
  w(3, 8) = 1e-20;  // dust beside the diagonal blocks
  const FrictionMeasure measure(contacts(w, Vector::Ones(9)));
  EXPECT_EQ(measure.parts(), 2);
  EXPECT_EQ(measure.part_of(0), measure.part_of(1));
  EXPECT_NE(measure.part_of(0), measure.part_of(2));
  FrictionContact p;
  p.J = Matrix(matrix(
      9, 3, {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}));
  p.M = Matrix(DenseMatrix(DenseMatrix::Identity(3, 3)));
  p.q = Vector::Ones(9);
  p.mu = Vector::Ones(3);
  EXPECT_EQ(FrictionMeasure(p).parts(), 3);
  DenseMatrix coupled = DenseMatrix::Identity(3, 3);
  coupled(0, 1) = coupled(1, 0) = 0.5;
  p.M = Matrix(coupled);
  EXPECT_EQ(FrictionMeasure(p).parts(), 2);
}

// W = J M^-1 J' with the Hilbert matrix, whose condition is 1e13: r = -W^-1 q solves it exactly.
TEST(VerifierOfFriction, InvertsIllConditionedMasses) {
  const int n = 9;
  DenseMatrix hilbert(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) hilbert(i, j) = 1.0 / (i + j + 1);
  FrictionContact p;
  p.J = Matrix(DenseMatrix(DenseMatrix::Identity(n, n)));
  p.M = Matrix(hilbert);
  p.mu = Vector::Constant(3, 10.0);
  const Vector r = vector({1, 0, 0, 1, 0, 0, 1, 0, 0});  // = M u, u = -q
  p.q = -MassInverse(p.M).solve(r.cast<Extended>()).cast<double>();
  EXPECT_TRUE(verdict_on(p, r).solved);
  const Vector twice = 2.0 * r;
  EXPECT_FALSE(verdict_on(p, twice).solved);
  const ExtendedVector u = MassInverse(p.M).solve(r.cast<Extended>());
  const AffineSum back = sum_of({AffineTerm::product(p.M, u), AffineTerm::vector(r, -1)}, n);
  EXPECT_LT(static_cast<double>(back.values.cwiseAbs().maxCoeff()), 1e-9);
}

TEST(VerifierOfFriction, RefusesMassesThatAreNone) {
  FrictionContact p;
  p.J = Matrix(DenseMatrix(DenseMatrix::Identity(3, 3)));
  p.M = Matrix(matrix(3, 3, {1, 0, 0, 0, -1, 0, 0, 0, 1}));
  p.q = vector({-1, 0, 0});
  p.mu = vector({1});
  EXPECT_THROW(validate(p), std::invalid_argument);
  EXPECT_THROW(verdict_on(p, vector({1, 0, 0})), std::invalid_argument);
  p.M = Matrix(matrix(3, 3, {1, 2, 0, 2, 1, 0, 0, 0, 1}));  // positive diagonal, indefinite
  EXPECT_THROW(validate(p), std::invalid_argument);
}

TEST(VerifierOfConvexContact, RequiresOneTangentialRegularisation) {
  ConvexContact p;
  p.A = Matrix(DenseMatrix(DenseMatrix::Identity(3, 3)));
  p.J = p.A;
  p.R = vector({1, 1, 2});
  p.bias = p.v_star = Vector::Zero(3);
  p.mu = vector({1});
  EXPECT_THROW(validate(p), std::invalid_argument);
  p.R = vector({1, 2, 2});
  EXPECT_NO_THROW(validate(p));
  p.A = Matrix(matrix(3, 3, {1, 2, 0, 2, 1, 0, 0, 0, 1}));
  EXPECT_THROW(validate(p), std::invalid_argument);
}

}  // namespace
}  // namespace perp::test
