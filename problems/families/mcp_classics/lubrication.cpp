// Elastohydrodynamic lubrication of two cylinders in line contact.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <perp/problems/families/mcp_classics/classic.hpp>
#include <perp/problems/matrix/infinity.hpp>

namespace perp::classics {

namespace {

constexpr double kFirst = -3.0, kLast = 2.0;  // the interval, in half widths of the dry contact

// Film thickness between grid points, h_j = x^2 + k + 1 + elastic deformation, j = 0 .. N, at
// x = kFirst + (j + 1/2) dx; z = (k, p_1, ..., p_N), pressure 0 outside.
std::vector<Expr> film(const ExprVector& z, int points, double dx) {
  std::vector<Expr> h;
  for (int j = 0; j <= points; ++j) {
    const double x = kFirst + (j + 0.5) * dx;
    Vector weight = Vector::Zero(points + 2);  // of p_0, ..., p_(N+1)
    for (int i = 0; i <= points; ++i) {
      const double distance = (i - j - 0.5) * dx, end = i == 0 || i == points ? 0.5 : 1.0;
      const double kernel = end * distance * std::log(std::abs(distance)) / std::numbers::pi;
      weight[i + 1] += kernel;
      if (i > 0) weight[i - 1] -= kernel;
    }
    Expr sum = x * x + z[0] + 1;
    for (int i = 1; i <= points; ++i) sum += weight[i] * z[i];
    h.push_back(sum);
  }
  return h;
}

// Reynolds' equation, lambda h' = (h^3 exp(-alpha p) p')', at points where the pressure is
// positive, and the balance of the load. alpha grows with the load, lambda with the speed
// [Kostreva1984].
Mcp lubricated_contact(int points, double alpha, double lambda) {
  const double dx = (kLast - kFirst) / points;
  Vector lower = Vector::Zero(points + 1);
  lower[0] = -kInfinity;
  return box_problem(lower, Vector::Constant(points + 1, kInfinity), [=](const ExprVector& z) {
    const auto pressure = [&](int i) { return i < 1 || i > points ? Expr(0.0) : z[i]; };
    const std::vector<Expr> h = film(z, points, dx);
    const auto flow = [&](int j) {  // between points j and j + 1
      const Expr p = pressure(j), q = pressure(j + 1);
      return h[j] * h[j] * h[j] * (q - p) * exp(-0.5 * alpha * (p + q)) / (dx * dx);
    };
    Expr load = 0.0;
    for (int i = 1; i <= points; ++i) load += (i == points ? 0.5 : 1.0) * z[i];
    ExprVector f(points + 1);
    f[0] = 1 - 2 * dx / std::numbers::pi * load;
    for (int i = 1; i <= points; ++i) {
      f[i] = lambda / dx * (h[i] - h[i - 1]) - (flow(i) - flow(i - 1));
    }
    return f;
  });
}

// k and the pressure profile p(x).
template <class Profile>
Start profile(std::string name, double k, Profile p) {
  return {std::move(name), [k, p](const Mcp& mcp) {
            const int points = mcp.size() - 1;
            Vector z(points + 1);
            z[0] = k;
            for (int i = 1; i <= points; ++i) {
              z[i] = std::max(0.0, p(kFirst + i * (kLast - kFirst) / points));
            }
            return z;
          }};
}

std::vector<Start> starts() {
  return {profile("triangle", 1.6, [](double x) { return 1 - std::abs((x + 1) / 2); }),
          profile("dry", 1.0, [](double x) { return x * x < 1 ? std::sqrt(1 - x * x) : 0.0; }),
          profile("flat", 1.6, [](double) { return 0.0; })};
}

Classic contact(std::string name, std::string summary, int points, double alpha, double lambda) {
  return {std::move(name),
          std::move(summary),
          "Kostreva1984",
          starts(),
          points,
          [alpha, lambda](int size) -> Instance {
            Instance made;
            made.mcp = lubricated_contact(size, alpha, lambda);
            made.solution = reference_solution(made.mcp, starts().front().point(made.mcp));
            made.variables = {"k"};
            name_variables(made.variables, "pressure", size);
            return made;
          },
          10,
          "N, points; n = N + 1"};
}

}  // namespace

std::vector<Classic> lubrication_classics() {
  return {
      contact("hertz-light", "lubricated line contact, light: dense, film thickness cubed", 30, 0.8,
              6.057),
      contact("ehl-kost",
              "the same at Kostreva's load: viscosity exp(alpha p), rows of very different scale",
              100, 2.832, 6.057)};
}

}  // namespace perp::classics
