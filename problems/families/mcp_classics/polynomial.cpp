// Small problems given by formulas.
#include <cmath>
#include <perp/problems/families/mcp_classics/classic.hpp>

namespace perp::classics {

namespace {

// The eight starts of MCPLIB for problems of four unknowns [DirkseFerris1995Mcplib].
std::vector<Start> mcplib_starts() {
  return {uniform("1", 0.0),         uniform("2", 1.0),
          uniform("3", 100.0),       listed("4", {1, 0, 1, 0}),
          listed("5", {1, 0, 0, 0}), listed("6", {0, 1, 1, 0}),
          listed("7", {0, 1, 0, 1}), listed("8", {1.25, 0, 0, 0.5})};
}

Classic kojima_shindo() {
  return {"kojima-shindo",
          "quadratic; one solution is degenerate, the other is (1, 0, 3, 0)",
          "KojimaShindo1986",
          mcplib_starts(),
          4,
          [](int) -> Instance {
            return {ncp(4,
                        [](const ExprVector& z) {
                          const Expr a = z[0] * z[0], ab = z[0] * z[1], b = z[1] * z[1];
                          ExprVector f(4);
                          f << 3 * a + 2 * ab + 2 * b + z[2] + 3 * z[3] - 6,
                              2 * a + z[0] + b + 10 * z[2] + 2 * z[3] - 2,
                              3 * a + ab + 2 * b + 2 * z[2] + 9 * z[3] - 9,
                              a + 3 * b + 2 * z[2] + 3 * z[3] - 3;
                          return f;
                        }),
                    vector_of({std::sqrt(1.5), 0, 0, 0.5}),
                    {}};
          }};
}

Classic josephy() {
  return {"josephy",
          "quadratic; at the start 0 the linearised problem has no solution",
          "Josephy1979",
          mcplib_starts(),
          4,
          [](int) -> Instance {
            return {ncp(4,
                        [](const ExprVector& z) {
                          const Expr a = z[0] * z[0], ab = z[0] * z[1], b = z[1] * z[1];
                          ExprVector f(4);
                          f << 3 * a + 2 * ab + 2 * b + z[2] + 3 * z[3] - 6,
                              2 * a + z[0] + b + 3 * z[2] + 2 * z[3] - 2,
                              3 * a + ab + 2 * b + 2 * z[2] + 3 * z[3] - 1,
                              a + 3 * b + 2 * z[2] + 3 * z[3] - 3;
                          return f;
                        }),
                    vector_of({std::sqrt(1.5), 0, 0, 0.5}),
                    {}};
          }};
}

Classic billups() {
  return {"billups",
          "(z - 1)^2 - 1.01: at 0 the residual has a local minimum of 0.01 that traps descent",
          "Billups1995",
          {uniform("zero", 0.0), uniform("half", 0.5), uniform("three", 3.0),
           uniform("hundred", 100.0)},
          1,
          [](int) -> Instance {
            return {ncp(1,
                        [](const ExprVector& z) {
                          ExprVector f(1);
                          f[0] = (z[0] - 1) * (z[0] - 1) - 1.01;
                          return f;
                        }),
                    vector_of({1 + std::sqrt(1.01)}),
                    {}};
          }};
}

Classic munson() {
  return {"munson",
          "linear, no P-matrix; the solution is one pivot away from 0",
          "DirkseFerris1995Mcplib",
          {uniform("zeros", 0.0), uniform("ones", 1.0)},
          3,
          [](int) -> Instance {
            return {ncp(3,
                        [](const ExprVector& z) {
                          ExprVector f(3);
                          f << z[0] + 2 * z[1] + 3 * z[2] - 1, z[1] - z[2] + 1, z[0] + z[1] + 1;
                          return f;
                        }),
                    vector_of({1, 0, 0}),
                    {}};
          }};
}

// F = grad exp(sum_i (z_i - i + 2)^2), i from 1: the factor exp(1) is left at the solution.
Classic watson() {
  return {"watson-exponential",
          "gradient of exp of a sum of squares: F is 1e90 at the start 0; degenerate",
          "Watson1979",
          {uniform("zeros", 0.0), listed("rounded", {0, 0, 1, 2, 3, 4, 5, 6, 7, 7}),
           listed("halves", {.5, .5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5})},
          10,
          [](int) -> Instance {
            return {ncp(10,
                        [](const ExprVector& z) {
                          Expr sum = 0.0;
                          for (int i = 0; i < 10; ++i) sum += (z[i] - i + 1) * (z[i] - i + 1);
                          const Expr factor = 2 * exp(sum);
                          ExprVector f(10);
                          for (int i = 0; i < 10; ++i) f[i] = factor * (z[i] - i + 1);
                          return f;
                        }),
                    vector_of({0, 0, 1, 2, 3, 4, 5, 6, 7, 8}),
                    {}};
          }};
}

}  // namespace

std::vector<Classic> polynomial_classics() {
  return {kojima_shindo(), josephy(), billups(), munson(), watson()};
}

}  // namespace perp::classics
