// The Coulomb cone of one contact and its contact law, in local order (n, t1, t2).
#pragma once

#include <cmath>

namespace perp {

/// r := projection of r on K_mu = { r : ||r_t|| <= mu r_n }, three values.
inline void project_on_cone(double mu, double* r) {
  const double t = std::hypot(r[1], r[2]);
  if (t <= mu * r[0]) return;
  if (mu * t <= -r[0]) {
    r[0] = r[1] = r[2] = 0.0;
    return;
  }
  const double normal = (r[0] + mu * t) / (1.0 + mu * mu);
  r[0] = normal;
  r[1] *= mu * normal / t;
  r[2] *= mu * normal / t;
}

/// natural := r - Pi(r - (u + mu ||u_t|| n)), one contact of the natural map
/// [AcaryBremondHuber2018].
inline void cone_natural_map(double mu, const double* r, const double* u, double* natural) {
  double projected[3] = {r[0] - (u[0] + mu * std::hypot(u[1], u[2])), r[1] - u[1], r[2] - u[2]};
  project_on_cone(mu, projected);
  for (int k = 0; k < 3; ++k) natural[k] = r[k] - projected[k];
}

}  // namespace perp
