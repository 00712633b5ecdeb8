// One contact: the exact solver, the maps with their Jacobians, the scaled form of the problem.
#include "support.hpp"

#include <perp/problems/standard/friction_cone.hpp>
#include <perp/solvers/friction/contact_map.hpp>
#include <perp/solvers/friction/contact_problem.hpp>
#include <perp/solvers/friction/contact_sweeps.hpp>
#include <perp/solvers/friction/local_contact.hpp>
#include <perp/solvers/friction/nsgs.hpp>

#include <array>
#include <cmath>

namespace perp::test {
namespace {

Problem local_contact_problem(const DenseMatrix& w, const Vector& q, double mu) {
  FrictionContact f;
  f.dimension = static_cast<int>(q.size());
  f.W = Matrix(w);
  f.q = q;
  f.mu = Vector::Constant(1, mu);
  return problem_of(f);
}

struct Local {
  LocalContactCase mode;
  Vector r;
};

Local solve_local(const DenseMatrix& w, const Vector& q, double mu, int dimension = 3) {
  Local local{LocalContactCase::kNone, Vector::Zero(3)};
  local.mode = solve_contact(w.data(), q.data(), mu, dimension, local.r.data());
  return local;
}

TEST(LocalContact, TakesOffWhereTheFreeVelocityOpens) {
  const Local local = solve_local(DenseMatrix::Identity(3, 3), vector({0.5, -3, 4}), 0.7);
  EXPECT_EQ(local.mode, LocalContactCase::kOpen);
  EXPECT_EQ(local.r, Vector::Zero(3));
}

TEST(LocalContact, SticksWhereTheConeHoldsTheLoad) {
  const DenseMatrix w = matrix(3, 3, {2, 0.5, 0, 0.5, 3, 0.2, 0, 0.2, 1});
  const Vector held = vector({4, 1, -1});
  const Local local = solve_local(w, -w * held, 0.5);
  EXPECT_EQ(local.mode, LocalContactCase::kStick);
  EXPECT_LT((local.r - held).norm(), 1e-14);
}

// W = diag(a, b, b): r_n = -q_n / a, and r_t = -mu r_n q_t / |q_t| where b mu r_n < |q_t|.
TEST(LocalContact, SlidesAgainstTheVelocity) {
  const DenseMatrix w = vector({2, 4, 4}).asDiagonal();
  const Local local = solve_local(w, vector({-6, 30, -40}), 0.5);
  EXPECT_EQ(local.mode, LocalContactCase::kSlide);
  EXPECT_LT((local.r - vector({3, -0.9, 1.2})).norm(), 1e-14);
}

// In the plane too, a body with one direction of motion has a singular W: here u = (r_n + r_t - 1,
// r_n + r_t), which is (0, 1) for the r on the edge of the cone, and cannot vanish.
TEST(LocalContact, SlidesIfOneDirectionOfMotionIsAllThereIs) {
  const Local local = solve_local(matrix(2, 2, {1, 1, 1, 1}), vector({-1, 0}), 0.5, 2);
  EXPECT_EQ(local.mode, LocalContactCase::kSlide);
  EXPECT_EQ(local.r, vector({2, -1, 0}));
}

TEST(LocalContact, WithoutFrictionPushesAlongTheNormalAlone) {
  const DenseMatrix w = matrix(3, 3, {2, 1, 0, 1, 3, 0, 0, 0, 1});
  const Local local = solve_local(w, vector({-6, 7, 8}), 0.0);
  EXPECT_EQ(local.r, vector({3, 0, 0}));
}

// Coupled W, not always symmetric, friction from none to practically unbounded.
TEST(LocalContact, SolvesEveryContactWithAPositiveDefiniteMatrix) {
  Random random(1);
  std::array<int, 4> modes{};
  for (int k = 0; k < 4000; ++k) {
    const int d = 2 + k % 2;
    DenseMatrix a = gaussian(random, d, d);
    const DenseMatrix skew = gaussian(random, d, d);
    DenseMatrix w = a * a.transpose() + 0.05 * DenseMatrix::Identity(d, d);
    if (k % 4 < 2) w += 0.05 * (skew - skew.transpose());
    const Vector q = gaussian(random, d, 1);
    const double mu = std::array{0.0, 0.1, 0.5, 1.0, 3.0}[k % 5];
    // With strong coupling and much friction a contact may jam: no case holds (Painleve).
    if (w(0, 0) <= mu * w.col(0).tail(d - 1).norm() * 1.01) continue;
    if (w(0, 0) <= mu * w.row(0).tail(d - 1).norm() * 1.01) continue;
    DenseMatrix embedded = DenseMatrix::Identity(3, 3);
    embedded.topLeftCorner(d, d) = w;
    Vector q3 = Vector::Zero(3);
    q3.head(d) = q;
    const Local local = solve_local(embedded, q3, mu, d);
    ASSERT_NE(local.mode, LocalContactCase::kNone) << k;
    ++modes[static_cast<int>(local.mode)];
    const Verdict verdict = verify(local_contact_problem(w, q, mu), {Vector(local.r.head(d)), {}},
                                   1e-11 * (1 + local.r.norm()));
    EXPECT_TRUE(verdict.solved) << k << " " << verdict.measure;
  }
  EXPECT_GT(modes[0], 500);
  EXPECT_GT(modes[1], 100);
  EXPECT_GT(modes[2], 500);
}

// A symmetric positive definite W has one solution, whatever the guess of ||u_t|| / ||r_t||.
TEST(LocalContact, AnyGuessOfTheSlipRatioGivesTheSameImpulse) {
  Random random(3);
  int slides = 0;
  for (int k = 0; k < 2000; ++k) {
    const DenseMatrix a = gaussian(random, 3, 3);
    const DenseMatrix w = a * a.transpose() + 0.05 * DenseMatrix::Identity(3, 3);
    const Vector q = gaussian(random, 3, 1);
    const double mu = std::array{0.1, 0.5, 1.0}[k % 3];
    if (w(0, 0) <= mu * w.col(0).tail(2).norm() * 1.01) continue;
    const Local plain = solve_local(w, q, mu);
    if (plain.mode != LocalContactCase::kSlide) continue;
    ++slides;
    const Vector u = w * plain.r + q;
    const double ratio = u.tail(2).norm() / plain.r.tail(2).norm();
    for (const double guess : {ratio, 0.9 * ratio, 1e3 * ratio, 1e-9 * ratio, 1e300, 1e-300, -1.0,
                               double(INFINITY), double(NAN)}) {
      Vector r = Vector::Zero(3);
      ASSERT_EQ(solve_contact(w.data(), q.data(), mu, 3, r.data(), guess), LocalContactCase::kSlide)
          << k << " " << guess;
      EXPECT_LT((r - plain.r).norm(), 1e-11 * plain.r.norm()) << k << " " << guess;
    }
  }
  EXPECT_GT(slides, 300);
}

TEST(PlaneNorm, IsTheNormForNumbersOfAnySize) {
  EXPECT_EQ(plane_norm(3.0, -4.0), 5.0);
  EXPECT_EQ(plane_norm(0.0, 0.0), 0.0);
  Random random(4);
  for (const double size : {1.0, 1e-130, 1e-139, 1e-141, 1e-200, 1e-300, 1e149, 1e151, 1e300}) {
    for (int k = 0; k < 100; ++k) {
      const double x = size * random.uniform(-1.0, 1.0), y = size * random.uniform(-1.0, 1.0);
      EXPECT_NEAR(plane_norm(x, y) / std::hypot(x, y), 1.0, 4e-16);
    }
  }
}

TEST(LocalContact, SaysWhereNoCaseHolds) {
  const DenseMatrix w = vector({-1, 1, 1}).asDiagonal();
  const Local local = solve_local(w, vector({-1, 2, 0}), 0.5);
  EXPECT_EQ(local.mode, LocalContactCase::kNone);
  EXPECT_EQ(local.r, Vector::Zero(3));
}

TEST(ContactMap, JacobiansAreDerivatives) {
  Random random(2);
  for (const ContactMap map :
       {ContactMap::kAlartCurnier, ContactMap::kNatural, ContactMap::kPyramid, ContactMap::kCone}) {
    for (int k = 0; k < 300; ++k) {
      const Vector r = gaussian(random, 3, 1), u = gaussian(random, 3, 1);
      const double mu = random.uniform(0.0, 2.0), rho_n = random.uniform(0.1, 2.0),
                   rho_t = random.uniform(0.1, 2.0), h = 1e-6;
      ContactRows rows;
      evaluate_contact(map, mu, rho_n, rho_t, r.data(), u.data(), rows);
      Vector value(3);
      evaluate_contact(map, mu, rho_n, rho_t, r.data(), u.data(), value.data());
      for (int j = 0; j < 3; ++j) {
        EXPECT_NEAR(value[j], rows.phi[j], 1e-14);
        for (const bool impulse : {true, false}) {
          Vector low[2] = {r, u}, high[2] = {r, u}, below(3), above(3);
          low[impulse ? 0 : 1][j] -= h;
          high[impulse ? 0 : 1][j] += h;
          evaluate_contact(map, mu, rho_n, rho_t, low[0].data(), low[1].data(), below.data());
          evaluate_contact(map, mu, rho_n, rho_t, high[0].data(), high[1].data(), above.data());
          for (int i = 0; i < 3; ++i) {
            const double derivative = (impulse ? rows.A : rows.B)[3 * j + i];
            EXPECT_NEAR((above[i] - below[i]) / (2 * h), derivative, 1e-4) << k;
          }
        }
      }
    }
  }
}

TEST(ContactMap, VanishesAtSolutionsOnly) {
  Random random(3);
  const DenseMatrix w = vector({2, 4, 4}).asDiagonal();
  const Vector q = vector({-6, 30, -40}), r = solve_local(w, q, 0.5).r, u = w * r + q;
  for (const ContactMap map : {ContactMap::kAlartCurnier, ContactMap::kNatural}) {
    ContactRows rows;
    evaluate_contact(map, 0.5, 0.3, 0.7, r.data(), u.data(), rows);
    EXPECT_LT(std::abs(rows.phi[0]) + std::abs(rows.phi[1]) + std::abs(rows.phi[2]), 1e-13);
    const Vector other = r + vector({0.1, 0, 0}), moved = w * other + q;
    evaluate_contact(map, 0.5, 0.3, 0.7, other.data(), moved.data(), rows);
    EXPECT_GT(std::abs(rows.phi[0]) + std::abs(rows.phi[1]) + std::abs(rows.phi[2]), 1e-3);
  }
}

// Dense, sparse, operator: the same problem; and the measure is that of the verifier.
TEST(ContactProblem, HasTheMeasureOfTheVerifier) {
  Random random(4);
  for (const int d : {2, 3}) {
    const int nc = 5, n = d * nc, m = 12;
    FrictionContact f;
    f.dimension = d;
    DenseMatrix j = gaussian(random, n, m);
    j.topRows(d) *= 1e3;
    const Vector mass = (gaussian(random, m, 1).array().square() + 0.1).matrix();
    f.q = gaussian(random, n, 1);
    f.mu = gaussian(random, nc, 1).cwiseAbs();
    f.compliance = gaussian(random, n, 1).cwiseAbs() * 0.1;
    const DenseMatrix w = j * mass.cwiseInverse().asDiagonal() * j.transpose();
    FrictionContact dense = f, sparse = f, applied = f;
    dense.W = Matrix(w);
    sparse.W = Matrix(SparseMatrix(w.sparseView()));
    applied.J = Matrix(j);
    applied.M = Matrix(DenseMatrix(mass.asDiagonal()));
    const Vector r = gaussian(random, n, 1);
    for (const FrictionContact* p : {&dense, &sparse, &applied}) {
      const double expected = verify(*p, {r, {}}, 1e-8).measure;
      for (const ContactScaling scaling :
           {ContactScaling::kNone, ContactScaling::kGlobal, ContactScaling::kContact}) {
        ContactProblem contact;
        contact.build(*p, scaling);
        Vector scaled, u(contact.size()), posed;
        contact.to_scaled(r, scaled);
        contact.velocity(scaled, u);
        contact.to_posed(scaled, posed);
        EXPECT_EQ(posed, r);                                         // powers of two
        EXPECT_NEAR(contact.measure(scaled) / expected, 1.0, 1e-9);  // with a bound of rounding
        EXPECT_NEAR(contact.measure(scaled, u) / expected, 1.0, 1e-12);
        EXPECT_LT(contact.asymmetry(), 1e-15);
        if (scaling != ContactScaling::kContact) continue;
        for (int c = 0; c < nc; ++c) {  // diagonal blocks of order one
          const double* block = contact.diagonal(c);
          const double size = (block[0] + block[4] + block[8]) / 3.0;
          EXPECT_GT(size, 0.4);
          EXPECT_LT(size, 2.1);
        }
      }
    }
  }
}

// A claim within the tolerance holds, however the rounding falls, also with huge coefficients of
// friction; what is added for it is little.
TEST(ContactProblem, TheMeasureBoundsThatOfTheVerifier) {
  Random random(12);
  for (int k = 0; k < 400; ++k) {
    FrictionContact f = random_friction_problem(random, 6);
    for (double& mu : f.mu) mu = random.index(2) == 0 ? 1e6 : mu;
    const Vector r = gaussian(random, f.size(), 1);
    for (const ContactScaling scaling : {ContactScaling::kGlobal, ContactScaling::kContact}) {
      ContactProblem contact;
      contact.build(f, scaling);
      Vector scaled;
      contact.to_scaled(r, scaled);
      const double expected = verify(f, {r, {}}, 1e-8).measure, claimed = contact.measure(scaled);
      EXPECT_GE(claimed, expected) << k;
      EXPECT_LE(claimed, expected + 1e-12 * (1 + f.mu.maxCoeff()) * (1 + expected)) << k;
    }
  }
}

TEST(ContactProblem, FindsAsymmetry) {
  FrictionContact f;
  f.dimension = 2;
  f.W = Matrix(matrix(4, 4, {4, 0, 1, 0, 0, 4, 0, 0, 0, 0, 4, 0, 0, 0, 0, 4}));
  f.q = Vector::Ones(4);
  f.mu = Vector::Ones(2);
  ContactProblem contact;
  contact.build(f, ContactScaling::kNone);
  EXPECT_EQ(contact.asymmetry(), 0.25);
}

TEST(ContactSweeps, TellOfAnImpulseThatIsNotFiniteWhereverItIs) {
  FrictionContact f;
  f.dimension = 2;
  f.W = Matrix(matrix(4, 4, {4, 0, 0, 0, 0, 4, 0, 0, 0, 0, 4, 0, 0, 0, 0, 4}));
  f.mu = Vector::Ones(2);
  for (const int wrong : {0, 2}) {  // the normal of the first contact, of the second
    f.q = -Vector::Ones(4);
    f.q[wrong] = std::nan("");
    ContactProblem contact;
    contact.build(f, ContactScaling::kNone);
    ContactSweeps sweeps;
    sweeps.attach(contact);
    Vector r = Vector::Zero(contact.size());
    EXPECT_TRUE(std::isnan(sweeps.sweep(1.0, 0.0, false, r))) << wrong;
  }
}

}  // namespace
}  // namespace perp::test
