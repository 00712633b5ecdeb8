#include <perp/solvers/friction/contact_map.hpp>

#include <perp/solvers/friction/friction_cone.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <stdexcept>

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

void alart_curnier(double mu, double rho_n, double rho_t, const double* r, const double* u,
                   ContactRows& rows) {
  const double x = r[0] - rho_n * u[0];
  if (x <= 0) return set_open(r, rows);
  rows.open = false;
  const double y[2] = {r[1] - rho_t * u[1], r[2] - rho_t * u[2]};
  const double length = std::hypot(y[0], y[1]), radius = mu * x;
  set_identity(rows.A, 0.0);
  set_identity(rows.B, rho_t);
  rows.B[0] = rho_n;
  rows.phi[0] = rho_n * u[0];
  if (length <= radius) {
    rows.phi[1] = rho_t * u[1];
    rows.phi[2] = rho_t * u[2];
    return;
  }
  // phi_t = r_t - mu x s, s = y / |y|: the change of x, and that of s across it.
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
  const double slip = std::hypot(u[1], u[2]);
  const double x[3] = {r[0] - rho * (u[0] + mu * slip), r[1] - rho * u[1], r[2] - rho * u[2]};
  const double length = std::hypot(x[1], x[2]);
  if (mu * length <= -x[0]) return set_open(r, rows);
  rows.open = false;
  double p[9];  // derivative of the projection
  set_identity(p, 1.0);
  double projected[3] = {x[0], x[1], x[2]};
  if (length > mu * x[0]) {
    const double s[2] = {x[1] / length, x[2] / length}, share = 1.0 / (1.0 + mu * mu);
    const double normal = share * (x[0] + mu * length), shrink = mu * normal / length;
    projected[0] = normal;
    p[0] = share;
    for (int i = 0; i < 2; ++i) {
      projected[1 + i] = mu * normal * s[i];
      p[1 + i] = p[3 * (1 + i)] = mu * share * s[i];
      for (int j = 0; j < 2; ++j) {
        p[3 * (1 + j) + 1 + i] =
            mu * mu * share * s[i] * s[j] + shrink * ((i == j ? 1.0 : 0.0) - s[i] * s[j]);
      }
    }
  }
  for (int i = 0; i < 3; ++i) {
    rows.phi[i] = r[i] - projected[i];
    for (int j = 0; j < 3; ++j) {
      const double along = j > 0 && slip > 0 ? mu * u[j] / slip : 0.0;
      rows.A[3 * j + i] = (i == j ? 1.0 : 0.0) - p[3 * j + i];
      rows.B[3 * j + i] = rho * (p[3 * j + i] + p[i] * along);
    }
  }
}

}  // namespace

ContactMap contact_map(std::string_view name) {
  if (name == "ac") return ContactMap::kAlartCurnier;
  if (name == "natural") return ContactMap::kNatural;
  throw std::invalid_argument(
      fmt::format("setting \"map\": \"{}\" is not ac, natural or auto", name));
}

void evaluate_contact(ContactMap map, double mu, double rho_n, double rho_t, const double* r,
                      const double* u, ContactRows& rows) {
  if (map == ContactMap::kAlartCurnier) {
    alart_curnier(mu, rho_n, rho_t, r, u, rows);
  } else {
    natural(mu, rho_t, r, u, rows);
  }
}

void evaluate_contact(ContactMap map, double mu, double rho_n, double rho_t, const double* r,
                      const double* u, double* phi) {
  if (map == ContactMap::kNatural) {
    const double step[3] = {rho_t * u[0], rho_t * u[1], rho_t * u[2]};
    return cone_natural_map(mu, r, step, phi);
  }
  const double x = std::max(0.0, r[0] - rho_n * u[0]);
  const double y[2] = {r[1] - rho_t * u[1], r[2] - rho_t * u[2]};
  const double length = std::hypot(y[0], y[1]), radius = mu * x;
  const double shrink = length > radius ? radius / length : 1.0;
  phi[0] = r[0] - x;
  phi[1] = r[1] - shrink * y[0];
  phi[2] = r[2] - shrink * y[1];
}

}  // namespace perp
