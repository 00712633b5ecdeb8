// Equations for the contact law of one contact, with an element of their generalised Jacobian.
#pragma once

#include <string_view>

namespace perp {

/// The maps whose zeros are the solutions.
enum class ContactMap {
  kAlartCurnier,
  kNatural,
  kPyramid,
  kCone,
};

/// The map that a setting names: ac, natural, pyramid or cone.
ContactMap contact_map(std::string_view name);

/// phi(r, u) of one contact, and 3 x 3 matrices, by columns, with d phi = A dr + B du.
struct ContactRows {
  double phi[3];
  double A[9], B[9];
  bool open;  ///< whether phi = r, so that A = I and B = 0
};

/// Alart and Curnier's map [AlartCurnier1991]:
///   phi_n = r_n - (r_n - rho_n u_n)^+,   phi_t = r_t - Pi_D(r_t - rho_t u_t),
/// with D the disc of radius mu (r_n - rho_n u_n)^+; or the natural map
///   phi = r - Pi_K(r - rho_t (u + mu ||u_t|| n))   [AcaryBremondHuber2018];
/// or the first one with a square |r_1| + |r_2| <= mu (r_n - rho_n u_n)^+ in place of the disc, for
/// a pyramid of four edges; or phi = r - Pi_K(r - rho_t u), for the law of convex programs,
/// r in K, u in K*, r'u = 0.
/// At a point where phi is not differentiable, A and B are one of the limits of its derivatives.
/// @param r, u three values each, the normal one first
void evaluate_contact(ContactMap map, double mu, double rho_n, double rho_t, const double* r,
                      const double* u, ContactRows& rows);

/// Only the values of phi, three.
void evaluate_contact(ContactMap map, double mu, double rho_n, double rho_t, const double* r,
                      const double* u, double* phi);

}  // namespace perp
