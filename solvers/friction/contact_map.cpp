#include <perp/solvers/friction/contact_map.hpp>

#include <perp/problems/standard/friction_cone.hpp>
#include <perp/problems/standard/friction_measure.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

namespace {

void set_identity(double* m, double value) {
  std::fill(m, m + 9, 0.0);
  m[0] = m[4] = m[8] = value;
}

void set_open(const double* r, ContactRows& rows) {
  std::copy(r, r + 3, rows.phi);
  set_identity(rows.A, 1.0);
  set_identity(rows.B, 0.0);
  rows.open = true;
}

// The nearest point s of the square |s_1| + |s_2| <= radius, with its derivatives by y (a 2 x 2
// matrix) and by the radius. Outside, it is on a side, unless a corner is nearer.
struct OnSquare {
  double s[2], by_y[2][2], by_radius[2];
};
OnSquare nearest_on_square(const double* y, double radius) {
  const double a[2] = {std::abs(y[0]), std::abs(y[1])};
  if (a[0] + a[1] <= radius) return {{y[0], y[1]}, {{1, 0}, {0, 1}}, {0, 0}};
  const double sign[2] = {std::copysign(1.0, y[0]), std::copysign(1.0, y[1])};
  const double shift = (a[0] + a[1] - radius) / 2;
  if (std::min(a[0], a[1]) > shift) {
    const double both = sign[0] * sign[1] / 2;
    return {{sign[0] * (a[0] - shift), sign[1] * (a[1] - shift)},
            {{0.5, -both}, {-both, 0.5}},
            {sign[0] / 2, sign[1] / 2}};
  }
  OnSquare corner{{0, 0}, {{0, 0}, {0, 0}}, {0, 0}};
  const int k = a[1] > a[0];
  corner.s[k] = sign[k] * radius;
  corner.by_radius[k] = sign[k];
  return corner;
}

void pyramid(double mu, double rho_n, double rho_t, const double* r, const double* u,
             ContactRows& rows) {
  const double x = r[0] - rho_n * u[0];
  if (x <= 0) return set_open(r, rows);
  rows.open = false;
  const double y[2] = {r[1] - rho_t * u[1], r[2] - rho_t * u[2]};
  const OnSquare found = nearest_on_square(y, mu * x);
  set_identity(rows.A, 0.0);
  set_identity(rows.B, 0.0);
  rows.phi[0] = rho_n * u[0];
  rows.B[0] = rho_n;
  for (int i = 0; i < 2; ++i) {
    rows.phi[1 + i] = r[1 + i] - found.s[i];
    rows.A[1 + i] = -mu * found.by_radius[i];
    rows.B[1 + i] = mu * found.by_radius[i] * rho_n;
    for (int j = 0; j < 2; ++j) {
      rows.A[3 * (1 + j) + 1 + i] = (i == j ? 1.0 : 0.0) - found.by_y[i][j];
      rows.B[3 * (1 + j) + 1 + i] = rho_t * found.by_y[i][j];
    }
  }
}

void alart_curnier(double mu, double rho_n, double rho_t, const double* r, const double* u,
                   ContactRows& rows) {
  const double x = r[0] - rho_n * u[0];
  if (x <= 0) return set_open(r, rows);
  rows.open = false;
  const double y[2] = {r[1] - rho_t * u[1], r[2] - rho_t * u[2]};
  const double length = plane_norm(y[0], y[1]), radius = mu * x;
  set_identity(rows.A, 0.0);
  set_identity(rows.B, rho_t);
  rows.B[0] = rho_n;
  rows.phi[0] = rho_n * u[0];
  if (length <= radius) {
    rows.phi[1] = rho_t * u[1];
    rows.phi[2] = rho_t * u[2];
    return;
  }
  // phi_t = r_t - mu x s with s = y / |y|: the part from the change of x, and that from s.
  const double s[2] = {y[0] / length, y[1] / length}, shrink = radius / length;
  for (int i = 0; i < 2; ++i) {
    rows.phi[1 + i] = r[1 + i] - radius * s[i];
    rows.A[1 + i] = -mu * s[i];
    rows.B[1 + i] = mu * s[i] * rho_n;
    for (int j = 0; j < 2; ++j) {
      const double across = shrink * ((i == j ? 1.0 : 0.0) - s[i] * s[j]);
      rows.A[3 * (1 + j) + 1 + i] = (i == j ? 1.0 : 0.0) - across;
      rows.B[3 * (1 + j) + 1 + i] = rho_t * across;
    }
  }
}

void natural(double mu, double rho, const double* r, const double* u, ContactRows& rows) {
  const double slip = plane_norm(u[1], u[2]);
  const double x[3] = {r[0] - rho * (u[0] + mu * slip), r[1] - rho * u[1], r[2] - rho * u[2]};
  if (mu * tangential_norm(3, x) <= -x[0]) return set_open(r, rows);
  rows.open = false;
  const double step[3] = {rho * u[0], rho * u[1], rho * u[2]};
  friction_natural_map(3, r, step, mu, rows.phi);
  const Eigen::Matrix3d p = cone_projection_derivative(mu, 3, x);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const double along = j > 0 && slip > 0 ? mu * u[j] / slip : 0.0;
      rows.A[3 * j + i] = (i == j ? 1.0 : 0.0) - p(i, j);
      rows.B[3 * j + i] = rho * (p(i, j) + p(i, 0) * along);
    }
  }
}

// r - Pi_K(r - rho u) so that nothing cancels: friction_natural_map() without de Saxce's term.
void cone(double mu, double rho, const double* r, const double* u, double* phi) {
  const double without = u[0] - mu * plane_norm(u[1], u[2]);
  const double step[3] = {rho * without, rho * u[1], rho * u[2]};
  friction_natural_map(3, r, step, mu, phi);
}

void cone(double mu, double rho, const double* r, const double* u, ContactRows& rows) {
  const double x[3] = {r[0] - rho * u[0], r[1] - rho * u[1], r[2] - rho * u[2]};
  if (mu * tangential_norm(3, x) <= -x[0]) return set_open(r, rows);
  rows.open = false;
  const Eigen::Matrix3d p = cone_projection_derivative(mu, 3, x);
  cone(mu, rho, r, u, rows.phi);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      rows.A[3 * j + i] = (i == j ? 1.0 : 0.0) - p(i, j);
      rows.B[3 * j + i] = rho * p(i, j);
    }
  }
}

}  // namespace

ContactMap contact_map(std::string_view name) {
  if (name == "pyramid") return ContactMap::kPyramid;
  if (name == "cone") return ContactMap::kCone;
  return name == "natural" ? ContactMap::kNatural : ContactMap::kAlartCurnier;
}

void evaluate_contact(ContactMap map, double mu, double rho_n, double rho_t, const double* r,
                      const double* u, ContactRows& rows) {
  switch (map) {
    case ContactMap::kAlartCurnier:
      return alart_curnier(mu, rho_n, rho_t, r, u, rows);
    case ContactMap::kNatural:
      return natural(mu, rho_t, r, u, rows);
    case ContactMap::kPyramid:
      return pyramid(mu, rho_n, rho_t, r, u, rows);
    case ContactMap::kCone:
      return cone(mu, rho_t, r, u, rows);
  }
}

void evaluate_contact(ContactMap map, double mu, double rho_n, double rho_t, const double* r,
                      const double* u, double* phi) {
  if (map == ContactMap::kNatural) {
    const double step[3] = {rho_t * u[0], rho_t * u[1], rho_t * u[2]};
    return friction_natural_map(3, r, step, mu, phi);
  }
  if (map == ContactMap::kCone) return cone(mu, rho_t, r, u, phi);
  const double x = std::max(0.0, r[0] - rho_n * u[0]);
  const double y[2] = {r[1] - rho_t * u[1], r[2] - rho_t * u[2]};
  phi[0] = r[0] - x;
  if (map == ContactMap::kPyramid) {
    const OnSquare found = nearest_on_square(y, mu * x);
    phi[1] = r[1] - found.s[0];
    phi[2] = r[2] - found.s[1];
    return;
  }
  const double length = plane_norm(y[0], y[1]), radius = mu * x;
  const double shrink = length > radius ? radius / length : 1.0;
  phi[1] = r[1] - shrink * y[0];
  phi[2] = r[2] - shrink * y[1];
}

}  // namespace perp
