// Problems whose solution is degenerate, not isolated, or has a singular Jacobian.
#include <cmath>
#include <perp/problems/families/mcp_classics/classic.hpp>
#include <perp/problems/matrix/infinity.hpp>

namespace perp::classics {

namespace {

Classic modified_mathiesen() {
  return {"mathiesen-ray",
          "every (t, 0, 0, 0) with 0 <= t <= 3 solves it: Jacobian singular there, some degenerate",
          "Mathiesen1987",
          {uniform("ones", 1.0), uniform("tens", 10.0), listed("mixed", {5, 0.5, 2, 1})},
          4,
          [](int) -> Instance {
            return {ncp(4,
                        [](const ExprVector& z) {
                          ExprVector f(4);
                          f << z[2] - z[1] + z[3], z[0] - (4.5 * z[2] + 2.7 * z[3]) / (z[1] + 1),
                              5 - z[0] - (0.5 * z[2] + 0.3 * z[3]) / (z[2] + 1), 3 - z[0];
                          return f;
                        }),
                    vector_of({1.5, 0, 0, 0}),
                    {}};
          }};
}

Classic powell_singular() {
  return {"powell-singular",
          "four equations with a Jacobian of rank 2 at the solution: Newton converges linearly",
          "MoreGarbowHillstrom1981",
          {listed("standard", {3, -1, 0, 1}), listed("far", {30, -10, 0, 10})},
          4,
          [](int) -> Instance {
            return {box_problem(Vector::Constant(4, -kInfinity), Vector::Constant(4, kInfinity),
                                [](const ExprVector& z) {
                                  const Expr a = z[1] - 2 * z[2], b = z[0] - z[3];
                                  ExprVector f(4);
                                  f << z[0] + 10 * z[1], std::sqrt(5.0) * (z[2] - z[3]), a * a,
                                      std::sqrt(10.0) * b * b;
                                  return f;
                                }),
                    Vector(Vector::Zero(4)),
                    {}};
          }};
}

Classic squares() {
  return {"degenerate-squares",
          "F_i = z_i^2 + z_i z_(i+1): at the solution 0 every pair is degenerate and F' is 0",
          "FacchineiPang2003",
          {uniform("ones", 1.0), uniform("hundreds", 100.0)},
          6,
          [](int) -> Instance {
            return {ncp(6,
                        [](const ExprVector& z) {
                          ExprVector f(6);
                          for (int i = 0; i < 6; ++i) f[i] = z[i] * (z[i] + z[(i + 1) % 6]);
                          return f;
                        }),
                    Vector(Vector::Zero(6)),
                    {}};
          }};
}

Classic simplex_of_solutions() {
  return {"rank-one",
          "monotone, F_i = s^3 - 1 with s the sum: a simplex of solutions, Jacobian of rank 1",
          "FacchineiPang2003",
          {uniform("zeros", 0.0), uniform("ones", 1.0), listed("mixed", {5, 0, 3, 0, 0.1})},
          5,
          [](int) -> Instance {
            return {ncp(5,
                        [](const ExprVector& z) {
                          const Expr s = z.sum();
                          return ExprVector(ExprVector::Constant(5, s * s * s - 1));
                        }),
                    Vector(Vector::Constant(5, 0.2)),
                    {}};
          }};
}

// Kojima-Shindo in unknowns y = z / column, rows times row.
Classic badly_scaled() {
  return {"kojima-shindo-scaled",
          "rows and unknowns in units that differ by up to 1e8",
          "KojimaShindo1986",
          {uniform("zeros", 0.0), listed("ones", {1e3, 1e-2, 1e4, 1e-4})},
          4,
          [](int) -> Instance {
            const double column[4] = {1e-3, 1e2, 1e-4, 1e4}, row[4] = {1e2, 1e-3, 1e4, 1.0};
            return {ncp(4,
                        [&](const ExprVector& y) {
                          ExprVector z(4), f(4);
                          for (int i = 0; i < 4; ++i) z[i] = column[i] * y[i];
                          const Expr a = z[0] * z[0], ab = z[0] * z[1], b = z[1] * z[1];
                          f << 3 * a + 2 * ab + 2 * b + z[2] + 3 * z[3] - 6,
                              2 * a + z[0] + b + 10 * z[2] + 2 * z[3] - 2,
                              3 * a + ab + 2 * b + 2 * z[2] + 9 * z[3] - 9,
                              a + 3 * b + 2 * z[2] + 3 * z[3] - 3;
                          for (int i = 0; i < 4; ++i) f[i] = row[i] * f[i];
                          return f;
                        }),
                    vector_of({1e3, 0, 3e4, 0}),
                    {}};
          }};
}

// Nonsmooth F: at the solution (1, 1) both max have equal operands.
Classic kinks() {
  return {"kinks",
          "F has max and abs, with kinks at the solution: its Jacobian jumps there",
          "FacchineiPang2003",
          {uniform("zeros", 0.0), listed("far", {20, 7})},
          2,
          [](int) -> Instance {
            return {ncp(2,
                        [](const ExprVector& z) {
                          ExprVector f(2);
                          f << 2 * z[0] + max(z[0], z[1] * z[1]) - 3,
                              3 * z[1] + abs(z[0] - z[1]) + max(z[1], z[0] * z[0]) - 4;
                          return f;
                        }),
                    vector_of({1, 1}),
                    {}};
          }};
}

}  // namespace

std::vector<Classic> degenerate_classics() {
  return {modified_mathiesen(),   powell_singular(), squares(),
          simplex_of_solutions(), badly_scaled(),    kinks()};
}

}  // namespace perp::classics
