// Verdicts that 64 bits of mantissa leave in doubt.
#include "support.hpp"

#include <perp/problems/standard/precise_measure.hpp>

namespace perp::test {
namespace {

// F(z) = (c + z) - c, z free.
Mcp cancelling(double c) {
  ExpressionGraph g;
  const int z = g.add_leaf(Operation::kVariable, 0), constant = g.add_constant(c);
  const int sum = g.add(Operation::kAdd, {constant, z});
  g.outputs = {g.add(Operation::kSubtract, {sum, constant})};
  Mcp p;
  p.graph = std::make_shared<const ExpressionGraph>(g);
  p.parameters = Vector(0);
  p.lower = Vector::Constant(1, -kInf);
  p.upper = Vector::Constant(1, kInf);
  return p;
}

TEST(PreciseMeasure, GraphsThatCancelAreNotGranted) {
  for (const int exponent : {20, 62, 64, 70, 200, 400, 900, 1020}) {
    const Mcp p = cancelling(std::ldexp(1.0, exponent));
    for (const double z : {3.0, 0.5, 1e-7}) {
      const Verdict v = verify(p, {vector({z}), {}}, 1e-8);
      EXPECT_FALSE(v.solved) << exponent << " " << z;
      EXPECT_LT(std::abs(v.measure - z), z - 1e-8);
    }
    for (const double z : {0.0, 1e-9, -9.9e-9}) {
      const Verdict v = verify(p, {vector({z}), {}}, 1e-8);
      EXPECT_TRUE(v.solved) << exponent << " " << z;
      EXPECT_LT(std::abs(v.measure - std::abs(z)), 1e-8 - std::abs(z));
    }
  }
}

TEST(PreciseMeasure, PointsWithoutAValueAreNotGranted) {
  ExpressionGraph g;
  const int z = g.add_leaf(Operation::kVariable, 0);
  g.outputs = {g.add(Operation::kLog, {z})};
  Mcp p = cancelling(1.0);
  p.graph = std::make_shared<const ExpressionGraph>(g);
  EXPECT_TRUE(verify(p, {vector({1.0}), {}}, 1e-8).solved);
  for (const double bad : {0.0, -1.0}) {
    const Verdict v = verify(p, {vector({bad}), {}}, 1e-8);
    EXPECT_FALSE(v.solved);
    EXPECT_EQ(v.measure, kInf);
  }
}

// F(z) of one unknown, z free, that `build` adds to a graph.
template <class Build>
Mcp free_function(const Build& build) {
  ExpressionGraph g;
  const int z = g.add_leaf(Operation::kVariable, 0);
  g.outputs = {build(g, z)};
  Mcp p = cancelling(1.0);
  p.graph = std::make_shared<const ExpressionGraph>(g);
  return p;
}

bool granted(const Mcp& p, double z) { return verify(p, {vector({z}), {}}, 1e-8).solved; }

// norm(2^31, 0.49, ..., 0.49) - 2^31 - z: each square is lost in the sum, but not all together.
TEST(PreciseMeasure, NormsOfManyOperandsAreNotGranted) {
  for (const int count : {200, 1000, 4000}) {
    const Mcp p = free_function([&](ExpressionGraph& g, int z) {
      const int large = g.add_constant(0x1p31), small = g.add_constant(0.49);
      std::vector<int> operands(static_cast<std::size_t>(count), small);
      operands.insert(operands.begin(), large);
      const int norm = g.add(Operation::kNorm, operands);
      return g.add(Operation::kSubtract, {g.add(Operation::kSubtract, {norm, large}), z});
    });
    const double exact = count * 0.49 * 0.49 / 0x1p32;
    EXPECT_FALSE(granted(p, 0.0)) << count;
    EXPECT_TRUE(granted(p, exact)) << count;
  }
}

// A small error of an exponent is a large one of the power.
TEST(PreciseMeasure, PowersWhoseExponentsCancelAreNotGranted) {
  const auto lost = [](ExpressionGraph& g, int z) {  // (1e20 + z) - 1e20
    const int large = g.add_constant(1e20);
    return g.add(Operation::kSubtract, {g.add(Operation::kAdd, {large, z}), large});
  };
  const Mcp power = free_function([&](ExpressionGraph& g, int z) {
    const int p = g.add(Operation::kPow, {g.add_constant(1000.0), lost(g, z)});
    return g.add(Operation::kMultiply, {g.add_constant(1e-12), p});
  });
  EXPECT_FALSE(granted(power, 3.9));  // 1e-12 * 1000^3.9 = 0.5
  EXPECT_TRUE(granted(power, 1.0));
  const Mcp steep = free_function([&](ExpressionGraph& g, int z) {
    const int base = g.add(Operation::kAdd, {g.add_constant(1.0), z});
    const int p = g.add(Operation::kPow, {base, g.add_constant(1e21)});
    return g.add(Operation::kMultiply, {g.add_constant(1e-12), p});
  });
  EXPECT_FALSE(granted(steep, 5e-20));  // 1e-12 e^50
  // A root of what may be negative; a root of a square may be 0.
  const Mcp root = free_function([&](ExpressionGraph& g, int z) {
    const int one = g.add_constant(1.0);
    const int x = g.add(Operation::kSubtract, {g.add(Operation::kAdd, {one, z}), one});
    return g.add(Operation::kSqrt, {x});
  });
  EXPECT_FALSE(granted(root, -1e-20));
  EXPECT_TRUE(granted(root, 0.0));
  const Mcp length = free_function([&](ExpressionGraph& g, int z) {
    const int x = lost(g, z);
    const int square = g.add(Operation::kMultiply, {x, x});
    return g.add(Operation::kSqrt, {g.add(Operation::kAdd, {square, square})});
  });
  EXPECT_TRUE(granted(length, 0.0));
  EXPECT_FALSE(granted(length, 1e-7));
}

// (1 + z - 1)^b at z = 0: what is left of the base is exactly 0, and so is its power.
TEST(PreciseMeasure, PowersOfWhatCancelsToZeroAreKnown) {
  const auto power = [](const std::function<int(ExpressionGraph&)>& exponent) {
    return free_function([&](ExpressionGraph& g, int z) {
      const int one = g.add_constant(1.0);
      const int x = g.add(Operation::kSubtract, {g.add(Operation::kAdd, {one, z}), one});
      return g.add(Operation::kPow, {x, exponent(g)});
    });
  };
  for (const double b : {0.5, 1.0, 1.5, 2.0, 3.0}) {
    const Mcp p = power([b](ExpressionGraph& g) { return g.add_constant(b); });
    EXPECT_TRUE(granted(p, 0.0)) << b;
    EXPECT_FALSE(granted(p, 0.5)) << b;
    EXPECT_EQ(granted(p, -1e-5), b == 2.0 || b == 3.0) << b;  // 1e-10, 1e-15; roots have no value
  }
  EXPECT_FALSE(granted(power([](ExpressionGraph& g) { return g.add_constant(0.0); }), 0.0));  // 1
  EXPECT_FALSE(granted(power([](ExpressionGraph& g) { return g.add_constant(-1.0); }), 0.0));
  // Exponents that are computed: 3 x 1 is whole, .3 x 5 is not.
  const auto product = [](double first, double second) {
    return [first, second](ExpressionGraph& g) {
      return g.add(Operation::kMultiply, {g.add_constant(first), g.add_constant(second)});
    };
  };
  EXPECT_TRUE(granted(power(product(3.0, 1.0)), -1e-4));  // -1e-12
  EXPECT_FALSE(granted(power(product(3.0, 1.0)), -1e-2));
  EXPECT_TRUE(granted(power(product(0.3, 5.0)), 0.0));
  EXPECT_FALSE(granted(power(product(0.3, 5.0)), -1e-8));
  EXPECT_FALSE(granted(power(product(0.0, 1.0)), 0.0));
}

// e^z e^z e^(-1.8 z) e^(-0.2 z) is 1 for every z, but a product of the first two may underflow.
TEST(PreciseMeasure, UnderflowIsNoZero) {
  const Mcp p = free_function([](ExpressionGraph& g, int z) {
    const auto power = [&](double factor) {
      return g.add(Operation::kExp, {g.add(Operation::kMultiply, {g.add_constant(factor), z})});
    };
    int product = g.add(Operation::kMultiply, {power(1.0), power(1.0)});
    product = g.add(Operation::kMultiply, {product, power(-1.8)});
    return g.add(Operation::kMultiply, {product, power(-0.2)});
  });
  EXPECT_FALSE(granted(p, -6000.0));
  const Mcp zero = free_function([](ExpressionGraph& g, int z) {
    return g.add(Operation::kSqrt, {g.add(Operation::kMultiply, {g.add_constant(1e-300), z})});
  });
  EXPECT_TRUE(granted(zero, 0.0));
}

// M is singular but for 2^-44: it amplifies what rounding J'r loses.
TEST(PreciseMeasure, IllConditionedMassesAreNotGuessed) {
  FrictionContact p;
  p.dimension = 2;
  p.mu = vector({1.0});
  p.J = Matrix(matrix(2, 2, {1.2500000000027411, 1.250000000002815, 1, -1}));
  const double c = 1 - 0x1p-44;
  p.M = Matrix(matrix(2, 2, {1, c, c, 1}));
  p.q = vector({-1.7187500000077416, 1.430859375});  // u_t = -7e-17
  EXPECT_TRUE(verify(p, {vector({1.1, 0}), {}}, 1e-8).solved);
  p.q[1] = 1.4308586120605469;  // u_t = -7.6e-7
  EXPECT_FALSE(verify(p, {vector({1.1, 0}), {}}, 1e-8).solved);
}

// (t, x) with |x| above t by less than the last of 256 bits.
TEST(PreciseMeasure, HugeConesAreNotGuessed) {
  const ConicQp cone{Matrix(matrix(1, 1, {0})),
                     vector({0}),
                     Matrix(DenseMatrix::Zero(3, 1)),
                     vector({1e200, 1e200, 1e98}),
                     {{ConeType::kSecondOrder, 3}}};
  const Verdict v = verify(cone, {vector({0}), vector({0, 0, 0})}, 1e-8);
  EXPECT_FALSE(v.solved);
  EXPECT_NEAR(v.measure, 0.5e-4 / 2, 1e-6);  // half of |x| - t = 1e196 / 2e200
  FrictionContact friction;
  friction.dimension = 3;
  friction.W = Matrix(DenseMatrix::Zero(3, 3));
  friction.q = vector({0, 0, 0});
  friction.mu = vector({1.0});
  EXPECT_FALSE(verify(friction, {vector({1e200, 1e200, 1e98}), {}}, 1e-8).solved);
}

// u = q + 2^900 - 2^900, next to the tolerance: few bits would lose q twice, and agree.
TEST(PreciseMeasure, SumsThatCancelAreNotLost) {
  FrictionContact p;
  p.dimension = 2;
  const double huge = 0x1p900;
  p.W = Matrix(matrix(4, 4, {huge, 0, -huge, 0, 0, 1, 0, 0, -huge, 0, huge, 0, 0, 0, 0, 1}));
  p.mu = vector({0.0, 0.0});
  const double off = 1e-8 * (1 - 1e-12);
  for (const double q : {off, 2e-8}) {
    p.q = vector({q, 0, q, 0});
    const Verdict v = verify(p, {vector({1, 0, 1, 0}), {}}, 1e-8);
    EXPECT_NEAR(v.measure, q * std::sqrt(2.0) / (q * std::sqrt(2.0)), 1e-9);  // relative to q
  }
  Lcp lcp{Matrix(matrix(2, 2, {huge, -huge, -huge, huge})), {}};
  for (const double q : {off, std::nextafter(1e-8, 0), 1e-8, std::nextafter(1e-8, 1)}) {
    lcp.q = vector({q, q});
    const Verdict v = verify(lcp, {vector({1, 1}), {}}, 1e-8);
    EXPECT_EQ(v.solved, q <= 1e-8) << q;
    EXPECT_EQ(v.measure, q);
  }
}

std::optional<double> again(const ProblemData& problem, const Answer& answer) {
  ResidualWork work;
  const Verdict v = verify(problem, answer, 1e-8, &work);
  verify(problem, answer, 1e-8, &work);
  return std::visit(
      [&](const auto& p) { return precise_measure(p, answer, 1e-8, v.measure, work); }, problem);
}

// Above the tolerance by 1e-292.
// The mass divides, so the velocity of an exact answer is 0 up to dust, of which no digits ever
// agree. A large friction coefficient makes the verifier ask for them.
TEST(PreciseMeasure, DustOfDivisionsIsNoResidual) {
  for (const double mass : {3.0, 5.0, 6.0, 0.7}) {
    for (const int dimension : {2, 3}) {
      FrictionContact p;
      p.dimension = dimension;
      p.J = Matrix(DenseMatrix(-DenseMatrix::Identity(dimension, 1)));
      p.M = matrix(1, 1, {mass});
      p.q = -Vector::Unit(dimension, 0);
      p.mu = vector({1e9});
      const Verdict v = verify(problem_of(p), {mass * Vector::Unit(dimension, 0), {}}, 1e-8);
      EXPECT_TRUE(v.solved) << mass << " " << v.measure;
      const Verdict off =
          verify(problem_of(p), {mass * 1.1 * Vector::Unit(dimension, 0), {}}, 1e-8);
      EXPECT_FALSE(off.solved) << mass;
      EXPECT_NEAR(off.measure, 0.1, 1e-12);
    }
  }
}

TEST(PreciseMeasure, ExcessOfAHairCounts) {
  const Lcp lcp{Matrix(matrix(3, 3, {0, 1, 2, 0, 0, 0, 0, 0, 0})), vector({0, 0, 0})};
  EXPECT_TRUE(verify(lcp, {vector({1, 1e-8, 0}), {}}, 1e-8).solved);
  EXPECT_FALSE(verify(lcp, {vector({1, 1e-8, 1e-292}), {}}, 1e-8).solved);
}

TEST(PreciseMeasure, SureOnesAreLeftAlone) {
  EXPECT_EQ(again(cancelling(1.0), {vector({3.0}), {}}), std::nullopt);
  EXPECT_EQ(again(cancelling(1.0), {vector({0.0}), {}}), std::nullopt);
  EXPECT_NE(again(cancelling(0x1p70), {vector({3.0}), {}}), std::nullopt);
  for (const char* name : {"friction-stack", "friction-pile", "socp", "compliant-pile"}) {
    const Problem p = generate(find_family(name), 0, 3);
    Answer far{Vector::Ones(p.size()), {}};
    if (const auto* conic = std::get_if<ConicQp>(&p.data)) far.dual = Vector::Ones(conic->b.size());
    EXPECT_EQ(again(p.data, far), std::nullopt) << name;
  }
}

// Asked with a tolerance next to the measure, more bits say the same to twelve digits, also with J
// and M in place of W.
TEST(PreciseMeasure, AgreesWithExtendedPrecision) {
  Random random(5);
  for (const char* name : {"friction-stack", "friction-pile", "friction-granular", "socp",
                           "compliant-pile", "contact-pile", "box-qp"}) {
    const Problem p = generate(find_family(name), 0, 5);
    Answer a{Vector(p.size()), {}};
    for (double& x : a.z) x = random.normal();
    if (const auto* conic = std::get_if<ConicQp>(&p.data)) {
      a.dual = Vector(conic->b.size());
      for (double& x : a.dual) x = random.normal();
    }
    const double plain = verify(p.data, a, 1e-300).measure;
    const double precise = verify(p.data, a, plain).measure;
    EXPECT_NEAR(precise, plain, 1e-12 * plain) << name;
    EXPECT_GT(plain, 0) << name;
  }
}

}  // namespace
}  // namespace perp::test
