// The dual that perp verify finds for an answer without one.
#include "support.hpp"

#include <perp/bench/harness/dual_recovery.hpp>

namespace perp::test {
namespace {

// At the tip of the cone; the least-squares dual is outside it, and so is the ray nearest to that.
TEST(DualRecovery, AtTheTipOfACone) {
  const ConicQp p{DenseMatrix(matrix(2, 2, {4, 0, 0, 0})),
                  vector({0, -1}),
                  DenseMatrix(matrix(3, 2, {2, 2, 0, 1, 2, 1})),
                  vector({4, 2, 2}),
                  {{ConeType::kSecondOrder, 3}}};
  const Vector x = vector({0, 2});
  EXPECT_TRUE(verify(p, {x, vector({1, 0, -1})}, 1e-8).solved);
  const auto y = recover_dual(p, x, 1e-8);
  ASSERT_TRUE(y.has_value());
  EXPECT_TRUE(verify(p, {x, *y}, 1e-8).solved);
}

// A random program in integers with a known answer: slacks and multipliers inside their cones, on
// the border and at the tip.
struct Solved {
  ConicQp program;
  Vector x, y;
};

Solved random_program(Random& random) {
  Solved made;
  ConicQp& p = made.program;
  int rows = 0;
  for (int k = 1 + random.index(4); k > 0; --k) {
    const ConeType type = std::vector{ConeType::kZero, ConeType::kNonnegative,
                                      ConeType::kSecondOrder}[random.index(3)];
    p.cones.push_back({type, 1 + random.index(3)});
    rows += p.cones.back().size;
  }
  const auto whole = [&](int least, int most) {
    return static_cast<double>(least + random.index(most - least + 1));
  };
  Vector s = Vector::Zero(rows);
  made.y = Vector::Zero(rows);
  int at = 0;
  for (const Cone& cone : p.cones) {
    const bool second = cone.type == ConeType::kSecondOrder && cone.size > 1;
    if (cone.type == ConeType::kZero) {
      for (int i = 0; i < cone.size; ++i) made.y[at + i] = whole(-3, 3);
    } else if (!second) {
      for (int i = 0; i < cone.size; ++i) (random.index(2) ? s : made.y)[at + i] = whole(0, 3);
    } else if (const int place = random.index(3); place < 2) {  // one inside, the other at the tip
      Vector& v = place == 0 ? s : made.y;
      v[at] = 5;
      v[at + 1] = whole(-2, 2);
    } else {  // on the border, or at the tip, of both
      const Vector ray = cone.size == 2 ? vector({1, -1}) : vector({5, 3, -4});
      s.segment(at, cone.size) = whole(0, 2) * ray;
      made.y.segment(at, cone.size) = whole(0, 2) * ray;
      made.y.segment(at + 1, cone.size - 1) *= -1;
    }
    at += cone.size;
  }
  const int n = 1 + random.index(5);
  const auto entries = [&](int m) {
    return DenseMatrix(DenseMatrix::NullaryExpr(m, n, [&] { return whole(-2, 2); }));
  };
  const DenseMatrix root = entries(random.index(n + 1)), a = entries(rows);
  made.x = Vector::NullaryExpr(n, [&] { return whole(-3, 3); });
  p.P = Matrix(DenseMatrix(root.transpose() * root));
  p.A = Matrix(a);
  p.b = a * made.x + s;
  p.c = -(root.transpose() * (root * made.x)) - a.transpose() * made.y;
  return made;
}

TEST(DualRecovery, FindsADualOfEveryRightAnswer) {
  Random random(7);
  int known = 0;
  for (int k = 0; k < 3000; ++k) {
    const Solved made = random_program(random);
    if (!verify(made.program, {made.x, made.y}, 1e-8).solved) continue;
    ++known;
    const auto y = recover_dual(made.program, made.x, 1e-8);
    ASSERT_TRUE(y.has_value());
    EXPECT_TRUE(verify(made.program, {made.x, *y}, 1e-8).solved) << k;
  }
  EXPECT_EQ(known, 3000);
}

}  // namespace
}  // namespace perp::test
