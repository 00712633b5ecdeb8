// Standard problems: matrices, residuals, verifier, reductions, validation.
#include "support.hpp"

#include <perp/problems/matrix/sparse_copies.hpp>
#include <perp/problems/standard/residuals.hpp>

#include <Eigen/LU>

namespace perp::test {
namespace {

TEST(Matrix, DenseAndSparseAgree) {
  Random random(3);
  DenseMatrix dense = gaussian(random, 7, 5);
  for (double& x : dense.reshaped()) x = random.uniform() < 0.5 ? 0.0 : x;
  const Matrix a(dense), b(SparseMatrix(dense.sparseView()));
  const Vector x = gaussian(random, 5, 1), y = gaussian(random, 7, 1);
  EXPECT_EQ(a.multiply(x), b.multiply(x));
  EXPECT_EQ(a.multiply_transposed(y), b.multiply_transposed(y));
  EXPECT_LT((a.multiply(x) - dense * x).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_LT((a.multiply_abs(x) - dense.cwiseAbs() * x.cwiseAbs()).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_EQ(a.nonzeros(), b.nonzeros());
  EXPECT_EQ(a.max_abs(), b.max_abs());
}

TEST(Matrix, ProductIsAccumulatedBeyondDouble) {
  const Matrix a(matrix(1, 3, {1e16, 1.0, -1e16}));
  EXPECT_EQ(a.multiply(vector({1, 1, 1}))[0], 1.0);  // plain double gives 0
}

TEST(Matrix, RepeatedTripletsAdd) {
  const Matrix a = Matrix::from_triplets(2, 2, {{0, 0, 1.0}, {0, 0, 2.0}, {1, 0, 5.0}});
  EXPECT_EQ(a.coefficient(0, 0), 3.0);
  EXPECT_FALSE(a.is_symmetric());
}

// Against Eigen's own, which allocate: of every shape, into matrices that held other ones.
TEST(SparseCopies, AreWhatEigenMakes) {
  Random random(11);
  SparseMatrix copy, transposed, work, symmetric;
  RowSparseMatrix by_rows;
  for (const auto& [rows, cols] :
       std::initializer_list<std::pair<int, int>>{{6, 6}, {3, 7}, {7, 3}, {0, 4}, {4, 0}, {6, 6}}) {
    DenseMatrix dense = gaussian(random, rows, cols);
    for (double& x : dense.reshaped()) x = random.uniform() < 0.6 ? 0.0 : x;
    SparseMatrix stored = dense.sparseView();
    if (stored.nonZeros() > 0) stored.coeffs()[0] = 0.0;  // stays stored
    dense = DenseMatrix(stored);
    for (const Matrix& a : {Matrix(dense), Matrix(stored)}) {
      copy_nonzeros(a, copy);
      EXPECT_EQ(DenseMatrix(copy), dense);
      EXPECT_EQ(copy.nonZeros(), a.nonzeros());
      EXPECT_TRUE(same_entries(Matrix(copy), Matrix(SparseMatrix(dense.sparseView()))));
      EXPECT_FALSE(rows * cols > 0 && same_entries(Matrix(dense), Matrix(copy)));
    }
    transpose(copy, transposed);
    EXPECT_EQ(DenseMatrix(transposed), DenseMatrix(dense.transpose()));
    copy_by_rows(copy, by_rows);
    EXPECT_EQ(DenseMatrix(by_rows), dense);
    EXPECT_TRUE(same_pattern(copy, copy));
    if (rows != cols) continue;
    copy_symmetric_part(copy, work, symmetric);
    EXPECT_EQ(DenseMatrix(symmetric), DenseMatrix(0.5 * (dense + dense.transpose())));
    EXPECT_FALSE(same_pattern(copy, symmetric));
  }
}

TEST(Residuals, MidOfThree) {
  EXPECT_EQ(mid(1, -kInf, -3), -3);
  EXPECT_EQ(mid(1, -kInf, 2), 1);
  EXPECT_EQ(mid(3, -2, -5), -2);
  EXPECT_EQ(mid(3, -2, 1), 1);
}

// The form z - mid(l, u, z - F) loses F where z is large; the one in use does not.
TEST(Residuals, NaturalMapDoesNotCancelAtLargeZ) {
  const Lcp p{matrix(1, 1, {0.0}), vector({1e-9})};
  EXPECT_EQ(evaluate_residuals(p, vector({1e9})).natural, 1e-9);
}

TEST(Residuals, NaturalMapIsZeroExactlyAtSolutions) {
  const Mlcp p{matrix(4, 4, {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2}),
               vector({-2, -2, 3, -9}), vector({-kInf, 0, 1, 0}), vector({kInf, kInf, kInf, 4})};
  const Residuals r = evaluate_residuals(p, vector({1, 1, 1, 4}));
  EXPECT_EQ(r.natural, 0.0);
  EXPECT_EQ(r.fischer_burmeister, 0.0);
  EXPECT_EQ(r.normal_map, 0.0);
  EXPECT_EQ(r.complementarity, 0.0);
}

TEST(Residuals, EachMeasureByHand) {
  const Lcp p{matrix(2, 2, {1, 0, 0, 1}), vector({-1, 2})};
  const Residuals r = evaluate_residuals(p, vector({3, 1}));  // F = (2, 3)
  EXPECT_EQ(r.natural, 2.0);
  EXPECT_EQ(r.worst_index, 0);
  EXPECT_EQ(r.complementarity, 6.0);
  EXPECT_NEAR(r.fischer_burmeister, 5.0 - std::sqrt(13.0), 1e-15);
  // x = z - F = (1, -2), Pi = (1, 0), F(Pi) = (0, 2): F + x - Pi = (0, 0).
  EXPECT_EQ(r.normal_map, 0.0);
  EXPECT_NEAR(r.floor, 2.2e-16 * 4, 1e-16);
}

TEST(Residuals, FischerBurmeisterHasNoCancellation) {
  EXPECT_NEAR(fischer_burmeister(1e-9, 1e9), 1e-9, 1e-24);
  EXPECT_EQ(fischer_burmeister(0, 5), 0.0);
  EXPECT_EQ(fischer_burmeister(-1, 0), -2.0);
}

TEST(Residuals, FixedAndUpperBoundedVariables) {
  const Mlcp p{matrix(2, 2, {1, 0, 0, 1}), vector({5, 5}), vector({2, -kInf}), vector({2, 1})};
  EXPECT_EQ(evaluate_residuals(p, vector({2, -5})).natural, 0.0);
  EXPECT_EQ(evaluate_residuals(p, vector({2, 1})).natural, 6.0);
  EXPECT_EQ(evaluate_residuals(p, vector({2, 1})).fischer_burmeister, 12.0);  // -phi(0, -6)
}

TEST(Residuals, ConicQpByClosedForm) {
  // min 1/2 |x|^2 with x in the second-order cone shifted by (1, 0): nearest point (1, 0) - s.
  const ConicQp p{DenseMatrix(DenseMatrix::Identity(2, 2)),
                  vector({0, 0}),
                  DenseMatrix(-DenseMatrix::Identity(2, 2)),
                  vector({-2, 0}),
                  {{ConeType::kSecondOrder, 2}}};  // s = x - (2, 0) in the cone
  const Residuals r = evaluate_residuals(p, vector({2, 0}), vector({2, 0}));
  EXPECT_EQ(r.primal, 0.0);
  EXPECT_EQ(r.dual, 0.0);
  EXPECT_EQ(r.gap, 0.0);
  EXPECT_GT(evaluate_residuals(p, vector({1, 0}), vector({1, 0})).primal, 0.5);
  EXPECT_GT(evaluate_residuals(p, vector({2, 0}), vector({0, 2})).dual, 1.0);
}

// One contact, W = 1: closed forms of stick, slip and take-off.
TEST(Residuals, FrictionContactByClosedForm) {
  FrictionContact p;
  p.W = Matrix(DenseMatrix(DenseMatrix::Identity(3, 3)));
  p.mu = vector({0.5});
  p.q = vector({-2, 0.5, 0});
  EXPECT_NEAR(evaluate_residuals(p, vector({2, -0.5, 0})).natural, 0.0,
              1e-15);  // stick: r = -q in the cone
  p.q = vector({-2, 3, 0});
  EXPECT_NEAR(evaluate_residuals(p, vector({2, -1, 0})).natural, 0.0,
              1e-15);  // slip: |r_t| = mu r_n against u_t
  EXPECT_GT(evaluate_residuals(p, vector({2, 1, 0})).natural, 0.5);
  p.q = vector({1, 0, 0});
  EXPECT_EQ(evaluate_residuals(p, vector({0, 0, 0})).natural, 0.0);  // take-off
}

TEST(Residuals, FrictionOperatorFormEqualsMatrixForm) {
  Random random(5);
  FrictionContact a, b;
  const DenseMatrix j = gaussian(random, 6, 4);
  DenseMatrix mass = gaussian(random, 4, 4);
  mass = mass * mass.transpose() + DenseMatrix::Identity(4, 4);
  a.J = Matrix(j);
  a.M = Matrix(mass);
  b.W = Matrix(DenseMatrix(j * mass.inverse() * j.transpose()));
  a.q = b.q = gaussian(random, 6, 1);
  a.mu = b.mu = vector({0.3, 0.6});
  a.compliance = b.compliance = vector({0.1, 0, 0, 0.2, 0, 0});
  const Vector r = gaussian(random, 6, 1);
  EXPECT_NEAR(evaluate_residuals(a, r).natural, evaluate_residuals(b, r).natural, 1e-10);
}

// The gradient in the residual against differences of the objective.
TEST(Residuals, ConvexContactIsTheGradientOfItsObjective) {
  Random random(8);
  ConvexContact p;
  p.A = Matrix(DenseMatrix(DenseMatrix::Identity(4, 4) * 2.0));
  p.J = Matrix(gaussian(random, 6, 4));
  p.R = vector({0.5, 0.2, 0.2, 0.4, 0.3, 0.3});
  p.bias = gaussian(random, 6, 1);
  p.mu = vector({0.4, 0.8});
  p.v_star = gaussian(random, 4, 1);
  const auto objective = [&](const Vector& v) {
    const Vector g = p.impulses(v);
    return 0.5 * (v - p.v_star).dot(p.A.multiply(v - p.v_star)) + 0.5 * g.dot(p.R.cwiseProduct(g));
  };
  for (int trial = 0; trial < 20; ++trial) {
    const Vector v = gaussian(random, 4, 1);
    double largest = 0.0;
    for (int i = 0; i < 4; ++i) {
      Vector up = v, down = v;
      up[i] += 1e-6;
      down[i] -= 1e-6;
      largest = std::max(largest, std::abs(objective(up) - objective(down)) / 2e-6);
    }
    EXPECT_NEAR(evaluate_residuals(p, v).natural, largest, 1e-7);
  }
}

TEST(Verifier, JudgesEveryKindByItsMeasure) {
  const Problem lcp = problem_of(Lcp{matrix(1, 1, {1}), vector({-1})});
  EXPECT_TRUE(verify(lcp, {vector({1 + 1e-9}), {}}, 1e-8).solved);
  EXPECT_FALSE(verify(lcp, {vector({1 + 1e-7}), {}}, 1e-8).solved);
  EXPECT_FALSE(verify(lcp, {vector({std::nan("")}), {}}, 1e-8).solved);
  FrictionContact friction;
  friction.W = Matrix(DenseMatrix(DenseMatrix::Identity(3, 3)));
  friction.mu = vector({0.5});
  friction.q = vector({-1e6, 0, 0});
  const Vector close = vector({1e6 + 1e-3, 0, 0});
  EXPECT_TRUE(verify(problem_of(friction), {close, {}}, 1e-8).solved);  // relative to |q|
  friction.q = vector({1e-18, 0, 0});
  EXPECT_FALSE(verify(problem_of(friction), {vector({1e-7, 0, 0}), {}}, 1e-8)
                   .solved);  // absolute: q vanishes
  EXPECT_TRUE(verify(problem_of(friction), {vector({0, 0, 0}), {}}, 1e-8).solved);
}

TEST(Verifier, RefusesWrongSizes) {
  const Problem lcp = problem_of(Lcp{matrix(1, 1, {1}), vector({-1})});
  EXPECT_THROW(verify(lcp, {vector({1, 2}), {}}, 1e-8), std::invalid_argument);
}

TEST(Farkas, HoldsOnlyForProofs) {
  // w = -z - 1 >= 0 is impossible: y = 1.
  const Lcp impossible{matrix(1, 1, {-1}), vector({-1})};
  EXPECT_TRUE(check_farkas(impossible, vector({1})).holds);
  EXPECT_FALSE(check_farkas(impossible, vector({-1})).holds);
  EXPECT_FALSE(check_farkas(Lcp{matrix(1, 1, {1}), vector({-1})}, vector({1})).holds);
  // y = (1, 0) violates M'y <= 0 by d: points with a 1-norm below 1/d are excluded, no others.
  const auto nearly = [](double d) { return Lcp{matrix(2, 2, {-1, d, 0, 1}), vector({-1, 0})}; };
  EXPECT_FALSE(check_farkas(nearly(1e-13), vector({1, 0})).holds);
  EXPECT_TRUE(check_farkas(nearly(1e-13), vector({1, 0})).excludes);
  EXPECT_NEAR(check_farkas(nearly(1e-13), vector({1, 0})).radius, 1e13, 1e3);
  EXPECT_FALSE(check_farkas(nearly(1e-8), vector({1, 0})).holds);
  EXPECT_FALSE(check_farkas(nearly(1e-8), vector({1, 0})).excludes);
}

TEST(Farkas, UnderstandsBounds) {
  // z in [0, 1], second row free of sign for a boxed variable, first: F_0 = z_1 - 2 >= 0 is
  // impossible.
  const Mlcp p{matrix(2, 2, {0, 1, 0, 0}), vector({-2, 0}), vector({0, 0}), vector({kInf, 1})};
  EXPECT_TRUE(check_farkas(p, vector({1, 0})).holds);
  EXPECT_FALSE(check_farkas(p, vector({1, 1})).holds);  // row 1 belongs to a two-sided variable
}

TEST(Reductions, MapSolutionsBackExactly) {
  // min x'x - 2 x_0 - 6 x_1 with x_0 + x_1 = 2, x <= 1.5 (all written as cones): x = (0.5, 1.5).
  const ConicQp qp{matrix(2, 2, {2, 0, 0, 2}),
                   vector({-2, -6}),
                   matrix(3, 2, {1, 1, 1, 0, 0, 1}),
                   vector({2, 1.5, 1.5}),
                   {{ConeType::kZero, 1}, {ConeType::kNonnegative, 2}}};
  const Reduction reduction = reduce_to_mlcp(qp);
  EXPECT_TRUE(reduction.exact);
  const Solved s = solve_by_lemke(problem_of(reduction.problem));
  ASSERT_EQ(s.status, Status::kSolved);
  const Answer answer = reduction.map_back({s.z, {}});
  EXPECT_TRUE(verify(problem_of(qp), answer, 1e-12).solved);
  EXPECT_NEAR(answer.z[0], 0.5, 1e-14);
  EXPECT_NEAR(answer.z[1], 1.5, 1e-14);
}

// Bounds of every sort, singular and degenerate matrices; both ways.
TEST(Reductions, MakeNonnegativeUnknowns) {
  Random random(29);
  int there = 0, back = 0;
  for (int trial = 0; trial < 400; ++trial) {
    Mlcp p = random_box_problem(random);
    if (trial % 2 == 0) p.M = Matrix(p.M.to_sparse());
    const Problem posed = problem_of(p);
    const Reduction reduction = reduce_to_lcp(p);
    EXPECT_EQ(std::get<Lcp>(reduction.problem).M.is_sparse(), p.M.is_sparse());
    if (const Solved s = solve_by_lemke(posed); s.status == Status::kSolved) {
      const Answer answer = reduction.map_start({s.z, {}});
      EXPECT_TRUE(verify(problem_of(reduction.problem), answer, 1e-9).solved);
      EXPECT_TRUE(verify(posed, reduction.map_back(answer), 1e-9).solved);
      ++there;
    }
    if (const Solved s = solve_by_lemke(problem_of(reduction.problem));
        s.status == Status::kSolved) {
      EXPECT_TRUE(verify(posed, reduction.map_back({s.z, {}}), 1e-8).solved) << trial;
      ++back;
    }
  }
  EXPECT_GT(there, 200);
  EXPECT_GT(back, 150);
}

TEST(Reductions, KeepTheNumbersOfNonnegativeUnknowns) {
  const Lcp lcp{matrix(2, 2, {2, -1, 0.5, 3}), vector({-1, 1})};
  const Reduction reduction = reduce_to_lcp(to_mlcp(lcp));
  EXPECT_EQ(std::get<Lcp>(reduction.problem).M.to_dense(), lcp.M.to_dense());
  EXPECT_EQ(std::get<Lcp>(reduction.problem).q, lcp.q);
}

TEST(Reductions, RefuseWhatIsNotExact) {
  const ConicQp qp{matrix(1, 1, {1}),
                   vector({0}),
                   matrix(2, 1, {1, 0}),
                   vector({1, 1}),
                   {{ConeType::kSecondOrder, 2}}};
  EXPECT_THROW(reduce_to_mlcp(qp), std::invalid_argument);
  EXPECT_THROW(reduce_to_box_qp(Lcp{matrix(2, 2, {1, 1, 0, 1}), vector({0, 0})}),
               std::invalid_argument);
}

struct BadProblem {
  const char* field;
  ProblemData data;
};

TEST(Validation, NamesTheField) {
  const DenseMatrix one = matrix(1, 1, {1}), skew = matrix(2, 2, {1, 2, 0, 1});
  const std::vector<BadProblem> cases = {
      {"M", Lcp{matrix(1, 2, {1, 1}), vector({0})}},
      {"q[0]", Lcp{one, vector({std::nan("")})}},
      {"M", Lcp{matrix(1, 1, {kInf}), vector({0})}},
      {"lower", Mlcp{one, vector({0}), vector({0, 0}), vector({1})}},
      {"lower[0]", Mlcp{one, vector({0}), vector({2}), vector({1})}},
      {"lower[0]", Mlcp{one, vector({0}), vector({kInf}), vector({kInf})}},
      {"upper[0]", Mlcp{one, vector({0}), vector({-kInf}), vector({-kInf})}},
      {"H", BoxQp{skew, vector({0, 0}), vector({0, 0}), vector({1, 1})}},
      {"P",
       ConicQp{skew, vector({0, 0}), matrix(1, 2, {1, 1}), vector({0}), {{ConeType::kZero, 1}}}},
      {"cones", ConicQp{one, vector({0}), one, vector({0}), {}}},
      {"mu[0]", FrictionContact{3,
                                DenseMatrix(DenseMatrix::Identity(3, 3)),
                                {},
                                {},
                                vector({0, 0, 0}),
                                vector({-1}),
                                {}}},
      {"dimension", FrictionContact{4, {}, {}, {}, vector({}), vector({}), {}}},
  };
  for (const BadProblem& c : cases) {
    try {
      validate(problem_of(c.data));
      ADD_FAILURE() << "accepted a bad " << c.field;
    } catch (const std::invalid_argument& error) {
      EXPECT_TRUE(std::string_view(error.what()).starts_with(std::string(c.field) + ":"))
          << error.what();
    }
  }
}

TEST(ExpressionGraph, EvaluatesEveryOperation) {
  ExpressionGraph g;
  const int x = g.add_leaf(Operation::kVariable, 0), p = g.add_leaf(Operation::kParameter, 0);
  const int two = g.add_constant(2.0);
  const double v = 0.7, c = 1.3;
  const std::vector<std::pair<int, double>> expected = {
      {g.add(Operation::kAdd, {x, p}), v + c},
      {g.add(Operation::kSubtract, {x, p}), v - c},
      {g.add(Operation::kMultiply, {x, p}), v * c},
      {g.add(Operation::kDivide, {x, p}), v / c},
      {g.add(Operation::kPow, {x, two}), v * v},
      {g.add(Operation::kNegate, {x}), -v},
      {g.add(Operation::kSqrt, {x}), std::sqrt(v)},
      {g.add(Operation::kExp, {x}), std::exp(v)},
      {g.add(Operation::kLog, {x}), std::log(v)},
      {g.add(Operation::kSin, {x}), std::sin(v)},
      {g.add(Operation::kCos, {x}), std::cos(v)},
      {g.add(Operation::kTan, {x}), std::tan(v)},
      {g.add(Operation::kAtan, {x}), std::atan(v)},
      {g.add(Operation::kTanh, {x}), std::tanh(v)},
      {g.add(Operation::kAbs, {x}), v},
      {g.add(Operation::kMin, {x, p}), v},
      {g.add(Operation::kMax, {x, p}), c},
      {g.add(Operation::kNorm, {x, p, two}), std::sqrt(v * v + c * c + 4)},
  };
  for (const auto& [node, value] : expected) g.outputs.push_back(node);
  g.check(1, 1);
  const Vector f = g.evaluate(vector({v}), vector({c}));
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(f[i], expected[i].second, 1e-15) << i;
  g.outputs.push_back(1000);
  EXPECT_THROW(g.check(1, 1), std::invalid_argument);
}

}  // namespace
}  // namespace perp::test
