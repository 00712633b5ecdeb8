// Elliptic problems with obstacles on grids of N x N interior points of the unit square.
#include <cmath>
#include <perp/problems/families/mcp_classics/classic.hpp>
#include <perp/problems/matrix/infinity.hpp>

namespace perp::classics {

namespace {

constexpr double kLambda = 6.5, kPlate = 0.7;  // of bratu()

// Values by row; outside the grid `boundary`.
struct Grid {
  int points;
  double spacing() const { return 1.0 / (points + 1); }
  int size() const { return points * points; }

  /// k-th unknown at ((i + 1) h, (j + 1) h), k = points * i + j.
  template <class Function>
  Vector sample(Function&& function) const {
    Vector values(size());
    for (int i = 0; i < points; ++i) {
      for (int j = 0; j < points; ++j) {
        values[points * i + j] = function((i + 1) * spacing(), (j + 1) * spacing());
      }
    }
    return values;
  }

  template <class Boundary>
  Expr at(const ExprVector& v, int i, int j, Boundary&& boundary) const {
    const bool inside = i >= 0 && j >= 0 && i < points && j < points;
    return inside ? v[points * i + j] : Expr(boundary((i + 1) * spacing(), (j + 1) * spacing()));
  }

  /// 4 v - neighbours, 0 at the boundary.
  ExprVector laplacian(const ExprVector& v) const {
    const auto zero = [](double, double) { return 0.0; };
    ExprVector rows(size());
    for (int i = 0; i < points; ++i) {
      for (int j = 0; j < points; ++j) {
        rows[points * i + j] = 4 * v[points * i + j] - at(v, i - 1, j, zero) -
                               at(v, i + 1, j, zero) - at(v, i, j - 1, zero) -
                               at(v, i, j + 1, zero);
      }
    }
    return rows;
  }
};

Start at_lower() {
  return {"lower", [](const Mcp& mcp) { return mcp.lower; }};
}

Instance with_reference(Mcp mcp, const Vector& guess) {
  Instance made;
  made.solution = reference_solution(mcp, guess);
  made.mcp = std::move(mcp);
  return made;
}

// -Laplace v = c between obstacles, times h^2, as in MCPLIB [DirkseFerris1995Mcplib].
Classic two_obstacles() {
  return {"obstacle",
          "membrane under load between two wavy obstacles; linear, sparse",
          "Ciarlet1978",
          {at_lower(), {"upper", [](const Mcp& mcp) { return mcp.upper; }}, uniform("zeros", 0.0)},
          20,
          [](int points) {
            const Grid grid{points};
            const auto wave = [](double x, double y) {
              return std::sin(9.2 * x) * std::sin(9.3 * y);
            };
            const double load = grid.spacing() * grid.spacing();
            Mcp mcp = box_problem(
                grid.sample([&](double x, double y) { return std::pow(wave(x, y), 3); }),
                grid.sample([&](double x, double y) { return std::pow(wave(x, y), 2) + 0.2; }),
                [&](const ExprVector& v) {
                  return ExprVector(grid.laplacian(v).array() - Expr(load));
                });
            const Vector guess = mcp.lower;
            return with_reference(std::move(mcp), guess);
          },
          1,
          "N, grid points a side"};
}

// -Laplace v = lambda exp(v) below a plate, times h^2. Without the plate there are two solutions
// for lambda < 6.808, and none beyond.
Classic bratu() {
  return {"bratu",
          "exponential source near the fold of its solutions, under a plate",
          "AverickCarterMoreXue1992",
          {uniform("zeros", 0.0), {"plate", [](const Mcp& mcp) { return mcp.upper; }}},
          20,
          [](int points) {
            const Grid grid{points};
            const double h = grid.spacing();
            Mcp mcp = box_problem(Vector::Zero(grid.size()), Vector::Constant(grid.size(), kPlate),
                                  [&](const ExprVector& v) {
                                    ExprVector rows = grid.laplacian(v);
                                    for (Eigen::Index k = 0; k < rows.size(); ++k) {
                                      rows[k] -= kLambda * h * h * exp(v[k]);
                                    }
                                    return rows;
                                  });
            const Vector guess = mcp.lower;
            return with_reference(std::move(mcp), guess);
          },
          1,
          "N, grid points a side"};
}

// Least surface over the square, at height 1 - (2x - 1)^2 above two sides and 0 above the others,
// that lies on a block of height 1 in the middle: piecewise linear elements, area as the objective.
Classic minimal_surface() {
  return {
      "minimal-surface",
      "gradient of the area over a block: nonlinear where steep, degenerate on top of the block",
      "DolanMoreMunson2004",
      {at_lower(), uniform("ones", 1.0)},
      15,
      [](int points) {
        const Grid grid{points};
        const auto edge = [](double x, double y) {
          return y <= 0 || y >= 1 ? 1 - (2 * x - 1) * (2 * x - 1) : 0.0;
        };
        Program program;
        program.lower = grid.sample([](double x, double y) {
          return std::abs(x - 0.5) <= 0.25 && std::abs(y - 0.5) <= 0.25 ? 1.0 : 0.0;
        });
        program.upper = Vector::Constant(grid.size(), kInfinity);
        program.objective = [&](const ExprVector& v) {
          // Each cell is two triangles, with the differences of their legs; areas over h^2 / 2.
          const double h = grid.spacing();
          Expr area = 0.0;
          for (int i = -1; i < points; ++i) {
            for (int j = -1; j < points; ++j) {
              const Expr a = grid.at(v, i, j, edge), b = grid.at(v, i + 1, j, edge);
              const Expr c = grid.at(v, i, j + 1, edge), d = grid.at(v, i + 1, j + 1, edge);
              const auto triangle = [h](const Expr& p, const Expr& q) {
                return sqrt(1 + (p * p + q * q) / (h * h));
              };
              area += triangle(b - a, c - a) + triangle(d - c, d - b);
            }
          }
          return area * (0.5 * h * h);
        };
        Mcp mcp = optimality_conditions(program);
        const Vector guess = mcp.lower;
        return with_reference(std::move(mcp), guess);
      },
      1,
      "N, grid points a side"};
}

}  // namespace

std::vector<Classic> grid_classics() { return {two_obstacles(), bratu(), minimal_surface()}; }

}  // namespace perp::classics
