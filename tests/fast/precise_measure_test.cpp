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
