// First-order conditions of nonlinear programs of Hock and Schittkowski's collection, HSn.
#include <array>
#include <cmath>
#include <perp/problems/families/mcp_classics/classic.hpp>
#include <perp/problems/families/mcp_classics/program_data.hpp>
#include <perp/problems/matrix/infinity.hpp>

namespace perp::classics {

namespace {

constexpr const char* kSource = "HockSchittkowski1981";

// The start of the collection, with the multipliers `multiplier`.
Start standard(const std::vector<double>& x, double multiplier = 0.0) {
  return {multiplier == 0.0 ? "standard" : "multipliers", [x, multiplier](const Mcp& mcp) {
            Vector z = Vector::Constant(mcp.size(), multiplier);
            z.head(static_cast<Eigen::Index>(x.size())) = vector_of(x);
            return z;
          }};
}

Program nonnegative(int n) { return {Vector::Zero(n), Vector::Constant(n, kInfinity), {}, {}, {}}; }
Program free_program(int n) {
  return {Vector::Constant(n, -kInfinity), Vector::Constant(n, kInfinity), {}, {}, {}};
}
Program bounded(const std::vector<double>& lower, const std::vector<double>& upper) {
  return {vector_of(lower), vector_of(upper), {}, {}, {}};
}

Classic classic(std::string name, std::string summary, std::vector<Start> starts, int n,
                std::function<Program()> program, Vector solution) {
  return {std::move(name),
          std::move(summary),
          kSource,
          std::move(starts),
          n,
          [program = std::move(program), solution = std::move(solution)](int) -> Instance {
            return {optimality_conditions(program()), solution, {}};
          }};
}

Classic hs5() {
  const auto program = [] {
    Program p = bounded({-1.5, -3}, {4, 3});
    p.objective = [](const ExprVector& x) {
      const Expr d = x[0] - x[1];
      return sin(x[0] + x[1]) + d * d - 1.5 * x[0] + 2.5 * x[1] + 1;
    };
    return p;
  };
  const double pi = std::acos(-1.0);
  return classic("hs5", "sine in a box, several stationary points",
                 {standard({0, 0}), listed("corner", {4, 3})}, 2, program,
                 vector_of({0.5 - pi / 3, -0.5 - pi / 3}));
}

// HS34 and HS66 share their constraints x2 >= exp(x1), x3 >= exp(x2).
Program exponentials(double first, double third) {
  Program p = bounded({0, 0, 0}, {100, 100, 10});
  p.objective = [=](const ExprVector& x) { return first * x[0] + third * x[2]; };
  p.inequalities = [](const ExprVector& x) -> std::vector<Expr> {
    return {x[1] - exp(x[0]), x[2] - exp(x[1])};
  };
  return p;
}

Classic hs34() {
  const double ln = std::log(10.0);  // x = (ln ln 10, ln 10, 10)
  return classic(
      "hs34", "linear objective, nested exponentials: no curvature without multipliers",
      {standard({0, 1.05, 2.9}), standard({0, 1.05, 2.9}, 1.0)}, 5,
      [] { return exponentials(-1, 0); }, vector_of({std::log(ln), ln, 10, 1 / ln, 1 / (10 * ln)}));
}

Classic hs66() {
  return classic(
      "hs66", "as hs34, solution inside the box",
      {standard({0, 1.05, 2.9}), standard({0, 1.05, 2.9}, 1.0)}, 5,
      [] { return exponentials(-0.8, 0.2); }, hs66_solution());
}

Classic hs35() {
  const auto program = [] {
    Program p = nonnegative(3);
    p.objective = [](const ExprVector& x) {
      return 9 - 8 * x[0] - 6 * x[1] - 4 * x[2] + 2 * x[0] * x[0] + 2 * x[1] * x[1] + x[2] * x[2] +
             2 * x[0] * x[1] + 2 * x[0] * x[2];
    };
    p.inequalities = [](const ExprVector& x) -> std::vector<Expr> {
      return {3 - x[0] - x[1] - 2 * x[2]};
    };
    return p;
  };
  return classic("hs35", "convex quadratic program", {standard({0.5, 0.5, 0.5})}, 4, program,
                 vector_of({4. / 3, 7. / 9, 4. / 9, 2. / 9}));
}

Classic hs38() {
  const auto program = [] {
    Program p = bounded({-10, -10, -10, -10}, {10, 10, 10, 10});
    p.objective = [](const ExprVector& x) {
      const auto square = [](const Expr& a) { return a * a; };
      return 100 * square(x[1] - x[0] * x[0]) + square(1 - x[0]) + 90 * square(x[3] - x[2] * x[2]) +
             square(1 - x[2]) + 10.1 * (square(x[1] - 1) + square(x[3] - 1)) +
             19.8 * (x[1] - 1) * (x[3] - 1);
    };
    return p;
  };
  return classic("hs38", "Wood's function in a box: a saddle point lies near the start's path",
                 {standard({-3, -1, -3, -1}), listed("corner", {10, 10, 10, 10})}, 4, program,
                 Vector::Ones(4));
}

Classic hs43() {
  const auto program = [] {
    Program p = free_program(4);
    p.objective = [](const ExprVector& x) {
      return x[0] * x[0] + x[1] * x[1] + 2 * x[2] * x[2] + x[3] * x[3] - 5 * x[0] - 5 * x[1] -
             21 * x[2] + 7 * x[3];
    };
    p.inequalities = [](const ExprVector& x) -> std::vector<Expr> {
      const Expr a = x[0] * x[0], b = x[1] * x[1], c = x[2] * x[2], d = x[3] * x[3];
      return {8 - a - b - c - d - x[0] + x[1] - x[2] + x[3],
              10 - a - 2 * b - c - 2 * d + x[0] + x[3], 5 - 2 * a - b - c - 2 * x[0] + x[1] + x[3]};
    };
    return p;
  };
  return classic("hs43", "Rosen-Suzuki: free unknowns, quadratic constraints",
                 {standard({0, 0, 0, 0}), uniform("ones", 1.0)}, 7, program,
                 vector_of({0, 1, 2, -1, 1, 0, 2}));
}

Classic hs45() {
  const auto program = [] {
    Program p = bounded({0, 0, 0, 0, 0}, {1, 2, 3, 4, 5});
    p.objective = [](const ExprVector& x) { return 2 - x[0] * x[1] * x[2] * x[3] * x[4] / 120; };
    return p;
  };
  return classic("hs45", "a product in a box; 0 solves the conditions too, with F' = 0 there",
                 {standard({2, 2, 2, 2, 2}), uniform("halves", 0.5)}, 5, program,
                 vector_of({1, 2, 3, 4, 5}));
}

Classic hs71() {
  const auto program = [] {
    Program p = bounded({1, 1, 1, 1}, {5, 5, 5, 5});
    p.objective = [](const ExprVector& x) { return x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2]; };
    p.equations = [](const ExprVector& x) -> std::vector<Expr> {
      return {x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3] - 40};
    };
    p.inequalities = [](const ExprVector& x) -> std::vector<Expr> {
      return {x[0] * x[1] * x[2] * x[3] - 25};
    };
    return p;
  };
  return classic("hs71", "not convex: two-sided bounds, an equation and a product",
                 {standard({1, 5, 5, 1}), standard({1, 5, 5, 1}, 1.0)}, 6, program,
                 hs71_solution());
}

Classic hs76() {
  const auto program = [] {
    Program p = nonnegative(4);
    p.objective = [](const ExprVector& x) {
      return x[0] * x[0] + 0.5 * x[1] * x[1] + x[2] * x[2] + 0.5 * x[3] * x[3] - x[0] * x[2] +
             x[2] * x[3] - x[0] - 3 * x[1] + x[2] - x[3];
    };
    p.inequalities = [](const ExprVector& x) -> std::vector<Expr> {
      return {5 - x[0] - 2 * x[1] - x[2] - x[3], 4 - 3 * x[0] - x[1] - 2 * x[2] + x[3],
              x[1] + 4 * x[2] - 1.5};
    };
    return p;
  };
  return classic("hs76", "convex quadratic program", {standard({0.5, 0.5, 0.5, 0.5})}, 7, program,
                 hs76_solution());
}

Classic hs110() {
  const auto program = [] {
    Program p = bounded(std::vector<double>(10, 2.001), std::vector<double>(10, 9.999));
    p.objective = [](const ExprVector& x) {
      Expr sum = 0.0, product = 1.0;
      for (int i = 0; i < 10; ++i) {
        const Expr a = log(x[i] - 2), b = log(10 - x[i]);
        sum += a * a + b * b;
        product *= x[i];
      }
      return sum - pow(product, 0.2);
    };
    return p;
  };
  return classic("hs110", "logarithms defined in the box only, close to a bound",
                 {standard(std::vector<double>(10, 9)), uniform("middle", 6)}, 10, program,
                 hs110_solution());
}

// Colville's first problem and its dual: c, d, e, A and b of the collection's Tables for HS86,
// HS117.
Classic hs86() {
  const auto program = [] {
    const ColvilleData& data = colville_data();
    Program p = nonnegative(5);
    p.objective = [&data](const ExprVector& x) {
      Expr sum = 0.0;
      for (int j = 0; j < 5; ++j) {
        sum += data.e[j] * x[j] + data.d[j] * x[j] * x[j] * x[j];
        for (int k = 0; k < 5; ++k) sum += data.c[k][j] * x[k] * x[j];
      }
      return sum;
    };
    p.inequalities = [&data](const ExprVector& x) {
      std::vector<Expr> rows;
      for (int i = 0; i < 10; ++i) {
        Expr row = -data.b[i];
        for (int j = 0; j < 5; ++j) row += data.a[i][j] * x[j];
        rows.push_back(row);
      }
      return rows;
    };
    return p;
  };
  return classic(
      "hs86", "Colville's first problem: ten constraints for five unknowns, F' singular everywhere",
      {standard({0, 0, 0, 0, 1}), uniform("ones", 1.0)}, 15, program, hs86_solution());
}

Classic hs117() {
  const auto program = [] {
    const ColvilleData& data = colville_data();
    Program p = nonnegative(15);
    p.objective = [&data](const ExprVector& x) {
      Expr sum = 0.0;
      for (int i = 0; i < 10; ++i) sum -= data.b[i] * x[i];
      for (int j = 0; j < 5; ++j) {
        const Expr y = x[10 + j];
        sum += 2 * data.d[j] * y * y * y;
        for (int k = 0; k < 5; ++k) sum += data.c[k][j] * x[10 + k] * y;
      }
      return sum;
    };
    p.inequalities = [&data](const ExprVector& x) {
      std::vector<Expr> rows;
      for (int j = 0; j < 5; ++j) {
        Expr row = data.e[j] + 3 * data.d[j] * x[10 + j] * x[10 + j];
        for (int k = 0; k < 5; ++k) row += 2 * data.c[k][j] * x[10 + k];
        for (int i = 0; i < 10; ++i) row -= data.a[i][j] * x[i];
        rows.push_back(row);
      }
      return rows;
    };
    return p;
  };
  std::vector<double> start(15, 1e-3);
  start[6] = 60;
  return classic("hs117", "the dual of hs86: not convex, ten rows of F' have rank five everywhere",
                 {standard(start), uniform("ones", 1.0)}, 20, program, hs117_solution());
}

}  // namespace

std::vector<Classic> program_classics() {
  return {hs5(),  hs34(), hs35(), hs38(), hs43(),  hs45(),
          hs66(), hs71(), hs76(), hs86(), hs110(), hs117()};
}

}  // namespace perp::classics
